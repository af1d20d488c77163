use insta::assert_snapshot;
use windlass_plan::{Document, Findings};

use super::read_formula;
use crate::tests::shown;

fn read(text: &str) -> String {
    let document = match Document::parse_toml("x.formula.toml", text.as_bytes()) {
        Ok(document) => document,
        Err(found) => return shown(&found),
    };
    let mut found = Findings::default();
    let formula = read_formula(&document, false, &mut found);
    let fits = if formula.is_some() { "fits\n" } else { "" };
    format!("{fits}{}", shown(&found.finish(None)))
}

#[test]
// Each of these would silently change the order of the steps.
fn field_misspelt_structure_is_error() {
    let with = |field: &str| {
        read(&format!(
            "formula = 'x'\n[[steps]]\nid = 'a'\ntitle = 'A'\n{field}\n"
        ))
    };
    assert_snapshot!(with("need = ['b']"), @"
    x.formula.toml:5:1: error[unknown-field]: there is no field `need`, and ignoring it could change the steps or their order
      help: did you mean `needs`?
    ");
    assert_snapshot!(with("depends = ['b']"), @"
    x.formula.toml:5:1: error[unknown-field]: there is no field `depends`, and ignoring it could change the steps or their order
      help: did you mean `needs`?
    ");
    assert_snapshot!(with("Depends-On = ['b']"), @"
    x.formula.toml:5:1: error[unknown-field]: there is no field `Depends-On`, and ignoring it could change the steps or their order
      help: did you mean `depends_on`?
    ");
    assert_snapshot!(with("when = 'x'"), @"
    x.formula.toml:5:1: error[unknown-field]: there is no field `when`, and ignoring it could change the steps or their order
      help: did you mean `condition`?
    ");
    assert_snapshot!(with("tally = { max = 3 }"), @"
    x.formula.toml:5:1: error[unsupported]: field `tally` is not supported
      help: use a step that `waits_for` the children and judges their results
    ");
}

#[test]
fn field_unknown_warns() {
    assert_snapshot!(read("formula = 'x'\nowner_bead = 'b'\n[[steps]]\nid = 'a'\ndescripton = 'x'\nprompt = 'y'\n"), @"
    fits
    x.formula.toml:2:1: warning[unknown-field]: there is no field `owner_bead`: it is ignored
      help: the fields are `formula`, `description`, `version`, `type`, `dialect`, `extends`, `vars`, `inputs`, `steps`, `template`, `compose`, `advice`, `pointcuts`, `phase`, `pour`, `squash`, `target_required`, `internal`, `single_lane`, `mode`, `catalog`, `agent`, `review_only`, `prompts`, `output`, `legs`, `synthesis`, `aspects`, `presets`, `requires`, `contract`, `metadata`
    x.formula.toml:5:1: warning[unknown-field]: there is no field `descripton`: it is ignored
      help: did you mean `description`?
    x.formula.toml:6:1: warning[unknown-field]: there is no field `prompt`: it is ignored
      help: did you mean `description`?
    ");
}

#[test]
fn common_mistakes_have_precise_help() {
    assert_snapshot!(read("[formula]\nid = 'x'\nversion = '1'\ndescription = 'what'\n"), @r#"
    x.formula.toml:1:2: error[formula-table]: `formula` is the name of the formula, not a table
      help: write `formula = "x"` at the top, without brackets, and `version`, `description` beside it
    "#);
    assert_snapshot!(read("formula = 'x'\nversion = '1'\n[steps]\nid = 'a'\n"), @"
    x.formula.toml:2:11: error[wrong-type]: `version`: expected an integer, found the string `1`
      help: remove the quotes: `version = 1`
    x.formula.toml:3:1: error[wrong-type]: `steps`: expected a list, found a mapping
      help: write `[[steps]]` before each entry
    ");
    assert_snapshot!(read("formula = 'x'\n[[vars]]\nname = 'a'\n[[steps]]\ntitle = 'a'\nneeds = 'b'\npriority = 7\n"), @r#"
    x.formula.toml:2:1: error[wrong-type]: `vars`: expected a mapping, found a list
      help: write `[vars.NAME]` for each entry
    x.formula.toml:4:1: error[missing-field]: item 1 of `steps`: the field `id` is missing
      help: add `id = …` (Name, unique in the formula. In a template, `{target}` is the name of the step it replaces)
    x.formula.toml:6:9: error[wrong-type]: `needs`: expected a list, found the string `b`
      help: write a list: `["b"]`
    x.formula.toml:7:12: error[out-of-range]: `priority`: expected a number from 0 to 4, found 7
    "#);
    assert_snapshot!(read("formula = 'x'\nextends = 'y'\ntype = 'workflw'\n"), @r#"
    x.formula.toml:2:11: error[wrong-type]: `extends`: expected a list, found the string `y`
      help: write a list: `["y"]`
    x.formula.toml:3:8: error[not-allowed]: `type`: expected one of `workflow`, `expansion`, `aspect`, `convoy`, found the string `workflw`
      help: did you mean `workflow`?
    "#);
}

#[test]
fn missing_name_advice_is_one_toml_line() {
    assert_snapshot!(read("name = 'r'\n[[steps]]\nid = 'a'\ntitle = 'A'\n"), @"
    x.formula.toml:1:1: warning[unknown-field]: there is no field `name`: it is ignored
      help: did you mean `formula`?
    x.formula.toml:1:1: error[missing-field]: the field `formula` is missing
      help: add `formula = …` (Name, which is also the name of the file)
    ");
}

#[test]
fn read_formula_keeps_places() {
    let text = "formula = 'x'\n[[steps]]\nid = 'a'\nneeds = ['b', 'c']\n[vars]\nv = 1\nw = { default = true }\n";
    let document = Document::parse_toml("x.toml", text.as_bytes()).unwrap();
    let formula = read_formula(&document, true, &mut Findings::default()).unwrap();
    let steps = formula.steps.unwrap();
    let need = &steps[0].needs.as_ref().unwrap()[1];
    assert_eq!(&text[need.start as usize..need.end as usize], "'c'");
    let vars = formula.vars.unwrap();
    assert_eq!(vars["v"].0.default.as_ref().unwrap().0, "1");
    assert_eq!(vars["w"].0.default.as_ref().unwrap().0, "true");
}
