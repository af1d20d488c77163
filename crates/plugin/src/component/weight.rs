//! Estimates the work of compiling a component from its code alone.
//!
//! Even a small file could keep the compiler busy for minutes, or exhaust the memory. For
//! comparison, each limit states the figure of a Python runtime, which is the largest component in
//! normal use.

use wasmparser::{
    FuncToValidate, FuncValidatorAllocations, FunctionBody, Operator, Parser, Payload,
    ValidPayload, Validator, ValidatorResources, WasmFeatures,
};

use crate::PluginError;

/// Maximum size of all functions together, in bytes. A Python runtime: 7 million.
const MAX_CODE: u64 = 16 << 20;
/// Maximum size of a single function, in bytes. A Python runtime: 430,000.
const MAX_FUNCTION: u64 = 1 << 20;
/// Maximum number of functions. A Python runtime: 14,000.
const MAX_FUNCTIONS: u64 = 100_000;
/// Maximum number of component functions, which lift and lower the functions of modules.
const MAX_LIFTED: u64 = 10_000;
/// Maximum number of live values in one function, summed over all branches and joins.
///
/// The next limit is for the whole component.
///
/// The compiler tracks each value through each branch, which takes two to three seconds per
/// million. A Python runtime: 8 million, and at most 400,000 in one function.
const MAX_FUNCTION_PATHS: u64 = 2_000_000;
const MAX_PATHS: u64 = 32_000_000;
/// Number of instructions between two checks for cancellation. The check is cheap, but not free.
const LOOK_UP: u64 = 4_096;

///
/// # Errors
/// Returns an error if a limit is exceeded or the WebAssembly is invalid. Returns
/// [`PluginError::Stopped`] once `stopped` returns true.
pub(crate) fn check(bytes: &[u8], stopped: &dyn Fn() -> bool) -> Result<(), PluginError> {
    let mut weight = Weight {
        // Accept all features here. If the engine doesn't support one, the compiler reports that.
        validator: Validator::new_with_features(WasmFeatures::all()),
        allocations: FuncValidatorAllocations::default(),
        stopped,
        code: 0,
        functions: 0,
        lifted: 0,
        paths: 0,
    };
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| invalid(&error))?;
        weight.count(&payload)?;
        let valid = weight.validator.payload(&payload);
        if let ValidPayload::Func(function, body) = valid.map_err(|error| invalid(&error))? {
            weight.function(function, &body)?;
        }
    }
    Ok(())
}

struct Weight<'a> {
    validator: Validator,
    allocations: FuncValidatorAllocations,
    stopped: &'a dyn Fn() -> bool,
    code: u64,
    functions: u64,
    lifted: u64,
    paths: u64,
}

impl Weight<'_> {
    fn count(&mut self, payload: &Payload<'_>) -> Result<(), PluginError> {
        match payload {
            Payload::CodeSectionStart { count, size, .. } => {
                self.functions += u64::from(*count);
                self.code += u64::from(*size);
                at_most("functions", self.functions, MAX_FUNCTIONS)?;
                at_most("bytes of code", self.code, MAX_CODE)
            }
            Payload::CodeSectionEntry(body) => {
                at_most("bytes of code in one function", len(body), MAX_FUNCTION)
            }
            Payload::ComponentCanonicalSection(section) => {
                self.lifted += u64::from(section.count());
                at_most(
                    "functions between parts of a component",
                    self.lifted,
                    MAX_LIFTED,
                )
            }
            _ => Ok(()),
        }
    }

    /// Counts the live values of a function. We give up as soon as a limit is exceeded.
    fn function(
        &mut self,
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'_>,
    ) -> Result<(), PluginError> {
        let mut validator = function.into_validator(std::mem::take(&mut self.allocations));
        let mut locals = body.get_locals_reader().map_err(|error| invalid(&error))?;
        for _ in 0..locals.get_count() {
            let offset = locals.original_position();
            let (count, kind) = locals.read().map_err(|error| invalid(&error))?;
            let defined = validator.define_locals(offset, count, kind);
            defined.map_err(|error| invalid(&error))?;
        }
        let mut paths = 0;
        let mut read = body
            .get_operators_reader()
            .map_err(|error| invalid(&error))?;
        for number in 1_u64.. {
            if read.eof() {
                break;
            }
            if number.is_multiple_of(LOOK_UP) && (self.stopped)() {
                return Err(PluginError::Stopped);
            }
            let offset = read.original_position();
            let operator = read.read().map_err(|error| invalid(&error))?;
            // At a branch, the compiler has to track every local and every value on the stack.
            let alive =
                u64::from(validator.len_locals()) + u64::from(validator.operand_stack_height());
            paths += ways(&operator).saturating_mul(alive);
            at_most(
                "live values at branches in one function",
                paths,
                MAX_FUNCTION_PATHS,
            )?;
            let fits = validator.op(offset, &operator);
            fits.map_err(|error| invalid(&error))?;
        }
        self.paths += paths;
        self.allocations = validator.into_allocations();
        at_most(
            "live values at branches in all functions",
            self.paths,
            MAX_PATHS,
        )
    }
}

/// Counts the edges in the control flow at an instruction.
///
/// A call counts as an edge too, because the compiler has to place all of its arguments and
/// results.
fn ways(operator: &Operator<'_>) -> u64 {
    match operator {
        Operator::BrTable { targets } => u64::from(targets.len()) + 1,
        Operator::Block { .. }
        | Operator::Loop { .. }
        | Operator::If { .. }
        | Operator::Else
        | Operator::End
        | Operator::Br { .. }
        | Operator::BrIf { .. }
        | Operator::Return
        | Operator::Call { .. }
        | Operator::CallIndirect { .. } => 1,
        _ => 0,
    }
}

fn len(body: &FunctionBody<'_>) -> u64 {
    let range = body.range();
    range.end.saturating_sub(range.start) as u64
}

fn at_most(what: &'static str, count: u64, max: u64) -> Result<(), PluginError> {
    match count <= max {
        true => Ok(()),
        false => Err(PluginError::TooMuchCode { what, limit: max }),
    }
}

fn invalid(error: &wasmparser::BinaryReaderError) -> PluginError {
    PluginError::NotAComponent {
        why: error.to_string(),
        help: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(function: &str) -> Result<(), PluginError> {
        let text =
            format!("(component (core module (type (func (param i32) (result i32))) {function}))");
        check(&wat::parse_str(text).unwrap(), &|| false)
    }

    fn too_much(function: &str) -> &'static str {
        match weighed(function) {
            Err(PluginError::TooMuchCode { what, .. }) => what,
            other => panic!("{other:?}"),
        }
    }

    fn function(locals: usize, part: &str, parts: usize) -> String {
        let (locals, body) = ("i64 ".repeat(locals), part.repeat(parts));
        format!("(func (param i32) (local {locals}) {body})")
    }

    #[test]
    fn check_small_but_expensive_is_refused() {
        let block = "(block (br_if 0 (local.get 0)))";
        assert_eq!(weighed(&function(20, block, 1_000)), Ok(()));
        let what = "live values at branches in one function";
        assert_eq!(too_much(&function(2_000, block, 2_000)), what);
        // Values on the stack, branch tables, and the arguments and results of calls all count.
        let (deep, drops) = ("(local.get 0)".repeat(2_000), "drop ".repeat(2_000));
        let on_stack = format!("(func (param i32) {deep} {} {drops})", block.repeat(2_000));
        assert_eq!(too_much(&on_stack), what);
        let table = format!("(block (br_table {} (local.get 0)))", "0 ".repeat(2_000));
        assert_eq!(too_much(&function(500, &table, 5)), what);
        let many = "i32 ".repeat(1_000);
        let calls = format!(
            "(func $a (result {many}) unreachable) (func $b (param {many})) (func {})",
            "(call $b (call $a))".repeat(5_000)
        );
        assert_eq!(too_much(&calls), what);
        // Each of these functions is below the limit. Together, they aren't.
        let many = function(1_500, block, 300).repeat(30);
        assert_eq!(too_much(&many), "live values at branches in all functions");
    }

    fn of_nothing(functions: u32, instructions: usize) -> Vec<u8> {
        use wasm_encoder::{
            CodeSection, Component, Function, FunctionSection, Module, ModuleSection, TypeSection,
        };
        let (mut types, mut declared, mut code) = (
            TypeSection::new(),
            FunctionSection::new(),
            CodeSection::new(),
        );
        types.ty().function([], []);
        let mut nothing = Function::new([]);
        nothing.raw(std::iter::repeat_n(1_u8, instructions));
        nothing.instructions().end();
        for _ in 0..functions {
            declared.function(0);
            code.function(&nothing);
        }
        let mut module = Module::new();
        module.section(&types).section(&declared).section(&code);
        let mut component = Component::new();
        component.section(&ModuleSection(&module));
        component.finish()
    }

    #[test]
    fn check_too_much_code_is_refused() {
        for (functions, instructions, what) in [
            (1, MAX_FUNCTION as usize, "bytes of code in one function"),
            (17, 1_000_000, "bytes of code"),
            (100_001, 0, "functions"),
        ] {
            let too_much = check(&of_nothing(functions, instructions), &|| false);
            assert!(
                matches!(&too_much, Err(PluginError::TooMuchCode { what: told, .. }) if *told == what),
                "{too_much:?}"
            );
        }
        assert_eq!(check(&of_nothing(10, 1_000), &|| false), Ok(()));
    }

    #[test]
    fn check_stops_on_request() {
        let text = format!("(component (core module {}))", function(0, "nop ", 10_000));
        let stopped = check(&wat::parse_str(text).unwrap(), &|| true);
        assert_eq!(stopped, Err(PluginError::Stopped));
    }
}
