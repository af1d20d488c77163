//! Tests the complete outline of a snippet in each language.

use windlass_outline::Language;

use crate::support::{check, listed, outlined};

#[test]
fn rust() {
    check(
        Language::Rust,
        r#"//! About the file.
/// A thing.
#[derive(Debug)]
pub struct Thing<T> {
    field: T,
}

// Not about what follows, since a line is empty.

impl<T: Clone> fmt::Display for a::Thing<T> {
    /// Shows it.
    #[inline]
    fn fmt(&self, f: &mut Formatter<'_>) -> Result
    where
        T: Debug,
    {
        fn inner() {}
        Ok(())
    }
}
impl Thing<u8> {
    pub(crate) const MAX: usize = 3;
    pub async fn new() -> Self { todo() } // trails
    fn own(&self) {}
}
pub trait Named: Sized {
    type Name;
    fn name(&self) -> Self::Name;
    fn given() -> bool { true }
}
impl From<io::Error> for Error {}
macro_rules! made { () => { fn unseen() {} } }
pub mod part {
    pub static COUNT: u8 = 1;
    pub enum Way { In, Out }
}
mod elsewhere;
pub type Short = std::collections::BTreeMap<
    u8, u8>;
pub struct Pair(pub u8, u8);
union Bits { a: u8 }
const _: () = ();
extern "C" { pub fn outside(a: i32); }
"#,
        "
+ 2-6 Struct Thing | pub struct Thing<T>
  10-20 Implementation impl Display for Thing | impl<T: Clone> fmt::Display for a::Thing<T>
    11-19 Method <Thing as Display>::fmt | fn fmt(&self, f: &mut Formatter<'_>) -> Result where T: Debug,
    - 17 Function <Thing as Display>::fmt::inner | fn inner()
  21-25 Implementation impl Thing | impl Thing<u8>
  ~ 22 Constant Thing::MAX | pub(crate) const MAX: usize = 3;
  + 23 Method Thing::new | pub async fn new() -> Self
  - 24 Method Thing::own | fn own(&self)
+ 26-30 Trait Named | pub trait Named: Sized
    27 Type Named::Name | type Name;
    28 Method Named::name | fn name(&self) -> Self::Name;
    29 Method Named::given | fn given() -> bool
  31 Implementation impl From<io::Error> for Error | impl From<io::Error> for Error
  32 Macro made | macro_rules! made { () => { fn unseen() {} } }
+ 33-36 Module part | pub mod part
  + 34 Variable part::COUNT | pub static COUNT: u8 = 1;
  + 35 Enum part::Way | pub enum Way
- 37 Module elsewhere | mod elsewhere;
+ 38-39 Type Short | pub type Short = std::collections::BTreeMap<
+ 40 Struct Pair | pub struct Pair(pub u8, u8);
- 41 Union Bits | union Bits
+ 43 Function outside | pub fn outside(a: i32);
",
    );
}

#[test]
fn python() {
    check(
        Language::Python,
        r#"import os
# How many.
LIMIT: int = 3
LIMIT = 4
_cache = {}
@decorated(1)
@twice
class Base(object, metaclass=Meta):
    """Doc."""
    attribute = 1
    if os:
        def when(self): pass

    # About it.
    @property
    async def value(self,
                    other: int) -> int:
        def inner(): pass
        return 1

    def __init__(self): pass
    def _own(self): pass
    class Nested: pass

if os:
    def either(): pass
else:
    def either(): pass
type Names = list[str]
a, b = 1, 2
def last(): x = 1
"#,
        "
+ 2-3 Constant LIMIT | LIMIT: int = 3
- 5 Variable _cache | _cache = {}
+ 6-23 Class Base | class Base(object, metaclass=Meta):
  + 12 Method Base.when | def when(self):
  + 14-19 Method Base.value | async def value(self, other: int) -> int:
    + 18 Function Base.value.inner | def inner():
  + 21 Method Base.__init__ | def __init__(self):
  - 22 Method Base._own | def _own(self):
  + 23 Class Base.Nested | class Nested:
+ 26 Function either | def either():
+ 28 Function either | def either():
+ 29 Type Names | type Names = list[str]
+ 31 Function last | def last():
",
    );
}

#[test]
fn javascript() {
    check(
        Language::JavaScript,
        r#"'use strict'
const fs = require('fs');
const { a, b } = require('c');
/** A class. */
export default class Shape extends Base {
  static #count = 1;
  #hidden() {}
  async draw(on) { const inner = () => {}; }
  get size() {}
  later = () => {};
  constructor() {}
  ['computed']() {}
}
export const make = async (a) => { }, other = function named() {};
function* steps() {}
module.exports = { one() {}, two: function () {}, three: () => {}, steps, 'four': async function () {} };
exports.five = function () {};
Shape.prototype.turn = function turn() {};
// Uses it.
app.use = function use(fn) {
};
var proto = exports = module.exports = {};
const LIMIT = 10;
let mutable = 1;
const tools = { hammer() {}, saw: () => 1, deep: { unseen() {} } };
export { LIMIT as z };
describe('x', function () { it('y', () => {}); });
define('z', function given() {});
(function () { function wrapped() {} })();
"#,
        "
+ 4-13 Class Shape | export default class Shape extends Base
  - 7 Method Shape.#hidden | #hidden()
  + 8 Method Shape.draw | async draw(on)
      8 Function Shape.draw.inner | const inner = () =>
  + 9 Method Shape.size | get size()
  + 10 Method Shape.later | later = () =>
  + 11 Constructor Shape.constructor | constructor()
+ 14 Function make | make = async (a) =>
+ 14 Function other | other = function named()
+ 15 Function steps | function* steps()
+ 16 Method one | one()
+ 16 Method two | two: function ()
+ 16 Method three | three: () =>
+ 16 Method four | 'four': async function ()
+ 17 Function five | exports.five = function ()
  18 Method Shape.turn | Shape.prototype.turn = function turn()
  19-21 Function app.use | app.use = function use(fn)
- 22 Variable proto | var proto = exports = module.exports = {};
+ 23 Constant LIMIT | const LIMIT = 10;
- 24 Variable mutable | let mutable = 1;
- 25 Constant tools | const tools =
  + 25 Method tools.hammer | hammer()
  + 25 Method tools.saw | saw: () =>
  28 Function given | function given()
  29 Function wrapped | function wrapped()
",
    );
    check(
        Language::JavaScript,
        "module.exports = create;\nfunction create() {}\n",
        "
+ 2 Function create | function create()
",
    );
    check(
        Language::JavaScript,
        "export default () => {};\nconst View = ({ a }) => <div>{a}</div>;\n",
        "
+ 1 Function default | export default () =>
- 2 Function View | const View = ({ a }) =>
",
    );
}

#[test]
fn typescript() {
    let text = r#"/** A shape. */
@Component({ a: 1 })
export abstract class Shape<T> implements Drawn {
  private x = 1;
  constructor(private y: number) {}
  protected abstract area(): void;
  public scale(by: string): string;
  @Bound('x')
  private scale(by?: string): string { return '' }
  readonly made = () => 1;
}
export interface Drawn extends Base { draw(): void; b: string; }
type Id = { a: string };
export enum Side { Left, Right }
const enum Fast { One }
namespace Outer.Inner { export function within() {} }
declare module "other" { export function there(): void; }
declare function ambient(a: string): void;
export declare const VERSION: string;
function over(a: string): void;
function over(a: any) {}
export default function () {}
"#;
    let expected = "
+ 1-11 Class Shape | export abstract class Shape<T> implements Drawn
  + 5 Constructor Shape.constructor | constructor(private y: number)
  ~ 6 Method Shape.area | protected abstract area(): void
  + 7 Method Shape.scale | public scale(by: string): string
  - 8-9 Method Shape.scale | private scale(by?: string): string
  + 10 Method Shape.made | readonly made = () =>
+ 12 Interface Drawn | export interface Drawn extends Base
  + 12 Method Drawn.draw | draw(): void
- 13 Type Id | type Id = { a: string };
+ 14 Enum Side | export enum Side
- 15 Enum Fast | const enum Fast
- 16 Module Outer.Inner | namespace Outer.Inner
  + 16 Function Outer.Inner.within | export function within()
- 17 Module other | declare module \"other\"
  + 17 Function other.there | export function there(): void;
- 18 Function ambient | declare function ambient(a: string): void;
+ 19 Constant VERSION | export declare const VERSION: string;
- 20 Function over | function over(a: string): void;
- 21 Function over | function over(a: any)
+ 22 Function default | export default function ()
";
    check(Language::TypeScript, text, expected);
    check(Language::Tsx, text, expected);
    check(
        Language::Tsx,
        "export const App: React.FC<Props> = ({ a }) => <div>{a}</div>;\n",
        "
+ 1 Function App | export const App: React.FC<Props> = ({ a }) =>
",
    );
}

#[test]
fn go() {
    check(
        Language::Go,
        r#"package main

// Meth does.
//
//go:noinline
func (r *Recv[T]) Meth(a int) (b int) {
	local := 1
	const unseen = 2
	return local
}

func Map[K comparable](k K) {}
func (plain) own() {}

type S struct {
	A int
}
type I interface {
	Foo() error
	io.Reader
}
type (
	// A is another name.
	A = int
	B func(int)
)

const (
	X = iota
	Y, Z
)

// ErrX says no.
var ErrX, _ = errors.New("x"), 1
var (
	a, b int
)
"#,
        "
+ 3-10 Method Recv.Meth | func (r *Recv[T]) Meth(a int) (b int)
+ 12 Function Map | func Map[K comparable](k K)
- 13 Method plain.own | func (plain) own()
+ 15-17 Struct S | type S struct
+ 18-21 Interface I | type I interface
  + 19 Method I.Foo | Foo() error
+ 23-24 Type A | A = int
+ 25 Type B | B func(int)
+ 29 Constant X | X = iota
+ 30 Constant Y | Y, Z
+ 30 Constant Z | Y, Z
+ 33-34 Variable ErrX | var ErrX, _ = errors.New(\"x\"), 1
- 36 Variable a | a, b int
- 36 Variable b | a, b int
",
    );
}

#[test]
fn java() {
    check(
        Language::Java,
        r#"package a.b;
/** A class. */
@Ann(1)
public class Outer<T> extends Base {
    private static final int X = 1, Y = 2;
    int field;
    public Outer() {}
    @Override
    public void run(int a) throws E {
        Runnable r = new Runnable() { public void run() {} };
        class Local {}
    }
    protected static class Nested { }
    interface Inner { void must(); int K = 1; }
    enum Side { LEFT, RIGHT { void unseen() {} }; void turn() {} }
}
record Point(int x, int y) { Point { } }
@interface Marker { String value(); }
"#,
        "
+ 2-16 Class Outer | public class Outer<T> extends Base
  - 5 Constant Outer.X | private static final int X = 1, Y = 2;
  - 5 Constant Outer.Y | private static final int X = 1, Y = 2;
  + 7 Constructor Outer.Outer | public Outer()
  + 8-12 Method Outer.run | public void run(int a) throws E
      11 Class Outer.run.Local | class Local
  ~ 13 Class Outer.Nested | protected static class Nested
  ~ 14 Interface Outer.Inner | interface Inner
    + 14 Method Outer.Inner.must | void must();
    + 14 Constant Outer.Inner.K | int K = 1;
  ~ 15 Enum Outer.Side | enum Side
    ~ 15 Method Outer.Side.turn | void turn()
~ 17 Record Point | record Point(int x, int y)
  ~ 17 Constructor Point.Point | Point
~ 18 Interface Marker | @interface Marker
  + 18 Method Marker.value | String value();
",
    );
}

const C: &str = r#"#ifndef GUARD_H
#define GUARD_H
/* How many. */
#define LIMIT 10
#define TWICE(a) ((a) * 2)
#ifdef X
static inline int add(int a,
                      int b) { int local = 1; return a; }
#else
int add(int a) { return a; }
#endif
API_EXPORT(int) exported(void) { return 0; }
struct node { int a; struct inner { int b; } i; };
typedef struct point { int x; } point;
typedef struct tag { int x; } other;
typedef struct { int a; } nameless;
typedef int (*callback)(int);
typedef enum { A, B } letters;
typedef unsigned long ulong_t, *ulong_p;
enum colour { RED };
union bits { int a; };
int declared(int a);
extern int elsewhere;
static const int K = 3;
int *pointer(void) { return 0; }
int (*chosen(int x))(int) { return 0; }
int (*handler)(int);
char *table[] = { 0 };
struct node forward(struct node *);
struct opaque;
#endif
"#;

#[test]
fn c() {
    check(
        Language::C,
        C,
        "
  3-4 Macro LIMIT | #define LIMIT 10
  5 Macro TWICE | #define TWICE(a) ((a) * 2)
- 7-8 Function add | static inline int add(int a, int b)
+ 10 Function add | int add(int a)
+ 12 Function exported | API_EXPORT(int) exported(void)
  13 Struct node | struct node
    13 Struct node.inner | struct inner
  14 Struct point | typedef struct point
  15 Struct tag | typedef struct tag
  15 Type other | typedef struct tag { int x; } other;
  16 Struct nameless | typedef struct { int a; } nameless;
  17 Type callback | typedef int (*callback)(int);
  18 Enum letters | typedef enum { A, B } letters;
  19 Type ulong_t | typedef unsigned long ulong_t, *ulong_p;
  19 Type ulong_p | typedef unsigned long ulong_t, *ulong_p;
  20 Enum colour | enum colour
  21 Union bits | union bits
- 24 Constant K | static const int K = 3;
+ 25 Function pointer | int *pointer(void)
+ 26 Function chosen | int (*chosen(int x))(int)
+ 27 Variable handler | int (*handler)(int);
+ 28 Variable table | char *table[] = { 0 };
",
    );
}

#[test]
fn header_declarations_are_symbols() {
    let (source, header) = (outlined(Language::C, C), outlined(Language::CHeader, C));
    let (source, header) = (listed(&source), listed(&header));
    let added = header.lines().filter(|line| !source.contains(line));
    assert_eq!(
        added.collect::<Vec<_>>(),
        [
            "+ 22 Function declared | int declared(int a);",
            "+ 23 Variable elsewhere | extern int elsewhere;",
            "+ 29 Function forward | struct node forward(struct node *);",
        ]
    );
}

#[test]
fn markdown() {
    check(
        Language::Markdown,
        "# A\n\n## B ##\ntext\n#### C\n```sh\n# no\n```\n## D `x::y`\nend\n# E",
        "
  1-10 Heading A | # A
    3-8 Heading A > B | ## B
      5-8 Heading A > B > C | #### C
    9-10 Heading A > D `x::y` | ## D `x::y`
  11 Heading E | # E
",
    );
}

#[test]
fn markdown_underlined_headings() {
    check(
        Language::Markdown,
        "\u{feff}Title\n=====\r\ntext\n\nUsage and\nmore\n  ---\ntext\n### Deep\n\nEnd\n-\nlast\n",
        "
  1-13 Heading Title | # Title
    5-10 Heading Title > Usage and more | ## Usage and more
      9-10 Heading Title > Usage and more > Deep | ### Deep
    11-13 Heading Title > End | ## End
",
    );
    let outline = outlined(Language::Markdown, "a\nb\n===\n");
    assert_eq!(outline.symbols[0].signature_lines.to_string(), "1-3");
}

#[test]
fn markdown_comments_have_no_headings() {
    for text in [
        "<!-- # no -->\n# A\n",
        "<!--\n# no\n\n## no\nno\n---\n-->\n# A\n",
        "# A\ntext\n<!-- of\n# no\n--> more\n",
        "# A\n<!--\n```\n-->\n<!--\n# no\n-->\n",
        "# A\n<!--\n    # no\n# never closed\n",
    ] {
        let outline = outlined(Language::Markdown, text);
        let names: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.name).collect();
        assert_eq!(names, ["A"], "{text:?}");
    }
    let outline = outlined(
        Language::Markdown,
        "<!-- x -->\nA\n===\n```\n<!--\n```\n# B\n",
    );
    let names: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.name).collect();
    assert_eq!(names, ["A", "B"]);
}

#[test]
fn markdown_html_and_lists_are_skipped() {
    for text in [
        "# A\n<div>\n# no\n</div>\n# no\n",
        "<PRE>\n\n# no\n</PRE>\n# A\n",
        "<pre>\n# no\n</script>\n# A\n",
        "- # no\n\n  ## no\n\n> # no\n\n# A\n",
        "1. a\n\n   ```sh\n   # no\n   ```\n\n# A\n",
        "[no]: b\n---\n# A #\n",
    ] {
        let outline = outlined(Language::Markdown, text);
        let names: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.name).collect();
        assert_eq!(names, ["A"], "{text:?}");
    }
    // Two thematic breaks in the text don't delimit metadata.
    let outline = outlined(Language::Markdown, "x\n\n---\n# A\n\n---\n# C#\n");
    let names: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.name).collect();
    assert_eq!(names, ["A", "C#"]);
}

#[test]
fn markdown_rules_are_not_underlines() {
    for text in [
        "---\ntitle: x\n---\n# A\n",
        "---\r\ntitle: x\r\n...\r\n# A\n",
        "# A\n---\n***\n---\n",
        "# A\ntext\n\n---\n",
        "# A\n- item\ngoes on\n---\n",
        "# A\n1. item\n\n   of it\n---\n",
        "# A\n> quote\n---\n",
        "# A\n> quote\nof it\n===\n",
        "# A\n| a |\n---\n",
        "# A\na | b\n--- | ---\n",
        "# A\n<div>\nx\n---\n",
        "# A\n```\nx\n---\n```\n",
        "# A\n\n    x\n---\n",
        "# A\n\n\tx\n---\n",
        "# A\ntext\n- - -\n",
        "# A\ntext\n== =\n",
    ] {
        let outline = outlined(Language::Markdown, text);
        let names: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.name).collect();
        assert_eq!(names, ["A"], "{text:?}");
    }
}
