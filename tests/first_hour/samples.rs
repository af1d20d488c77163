//! Sample repositories in three languages, each with a README, a CI workflow, an entry point and
//! tests.

use crate::support::Sandbox;

/// A newcomer's repository, with lines that a useful first pack shows.
pub(crate) struct Sample {
    pub name: &'static str,
    files: &'static [(&'static str, &'static str)],
    pub expected: &'static [&'static str],
}

impl Sample {
    pub(crate) fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::git();
        for (path, text) in self.files {
            sandbox.write(path, text);
        }
        sandbox.commit("Receive parcels at the harbour");
        sandbox
    }
}

pub(crate) const SAMPLES: [Sample; 3] = [
    Sample {
        name: "go",
        files: &[
            (
                "README.md",
                "# Harbour\n\nHarbour receives parcels over HTTP.\n\n## Build\n\n    go build ./cmd/harbour\n",
            ),
            ("go.mod", "module example.org/harbour\n\ngo 1.24\n"),
            (
                ".github/workflows/ci.yml",
                "name: ci\non:\n  pull_request:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: go vet ./...\n      - run: go test ./...\n",
            ),
            (
                "cmd/harbour/main.go",
                "package main\n\nimport (\n\t\"log\"\n\n\t\"example.org/harbour/store\"\n)\n\nfunc main() {\n\tparcels := store.Open(\"parcels.db\")\n\tif err := parcels.Check(); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n",
            ),
            (
                "store/store.go",
                "package store\n\n// Store keeps parcels until they are collected.\ntype Store struct {\n\tpath string\n}\n\n// Open opens the store at path.\nfunc Open(path string) *Store {\n\treturn &Store{path: path}\n}\n\n// Check reports a damaged store.\nfunc (s *Store) Check() error {\n\treturn nil\n}\n",
            ),
            (
                "store/store_test.go",
                "package store\n\nimport \"testing\"\n\nfunc TestOpen(t *testing.T) {\n\tif Open(\"x\").Check() != nil {\n\t\tt.Fatal(\"damaged\")\n\t}\n}\n",
            ),
        ],
        expected: &[
            "Harbour receives parcels",
            "go test ./...",
            "cmd/harbour/main.go",
        ],
    },
    Sample {
        name: "python",
        files: &[
            (
                "README.md",
                "# Harbour\n\nHarbour receives parcels over HTTP.\n\n## Tests\n\n    pytest\n",
            ),
            (
                "pyproject.toml",
                "[project]\nname = \"harbour\"\nversion = \"1.0.0\"\nrequires-python = \">=3.11\"\n\n[project.scripts]\nharbour = \"harbour.cli:main\"\n",
            ),
            (
                ".github/workflows/tests.yml",
                "name: tests\non: [push, pull_request]\njobs:\n  tests:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: pip install -e .\n      - run: pytest\n",
            ),
            (
                "src/harbour/__init__.py",
                "\"\"\"Receives parcels.\"\"\"\n\nfrom harbour.store import Store\n\n__all__ = [\"Store\"]\n",
            ),
            (
                "src/harbour/cli.py",
                "\"\"\"Command line of the harbour.\"\"\"\n\nimport argparse\n\nfrom harbour.store import Store\n\n\ndef main() -> int:\n    parser = argparse.ArgumentParser(\"harbour\")\n    parser.add_argument(\"parcels\")\n    args = parser.parse_args()\n    return 0 if Store(args.parcels).is_sound() else 1\n\n\nif __name__ == \"__main__\":\n    raise SystemExit(main())\n",
            ),
            (
                "src/harbour/store.py",
                "class Store:\n    \"\"\"Keeps parcels until they are collected.\"\"\"\n\n    def __init__(self, path: str) -> None:\n        self.path = path\n\n    def is_sound(self) -> bool:\n        return bool(self.path)\n",
            ),
            (
                "tests/test_store.py",
                "from harbour.store import Store\n\n\ndef test_store_is_sound() -> None:\n    assert Store(\"x\").is_sound()\n",
            ),
        ],
        expected: &[
            "Harbour receives parcels",
            "run: pytest",
            "src/harbour/cli.py",
        ],
    },
    Sample {
        name: "typescript",
        files: &[
            (
                "README.md",
                "# Harbour\n\nHarbour receives parcels over HTTP.\n\n## Develop\n\n    npm ci\n    npm test\n",
            ),
            (
                "package.json",
                "{\n  \"name\": \"harbour\",\n  \"version\": \"1.0.0\",\n  \"main\": \"src/index.ts\",\n  \"bin\": { \"harbour\": \"src/main.ts\" },\n  \"scripts\": {\n    \"build\": \"tsc\",\n    \"test\": \"vitest run\"\n  }\n}\n",
            ),
            (
                ".github/workflows/node.yml",
                "name: node\non:\n  pull_request:\njobs:\n  check:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: npm test\n",
            ),
            (
                "src/main.ts",
                "import { Store } from './store';\n\nexport function main(args: string[]): number {\n  const store = new Store(args[0] ?? 'parcels.db');\n  return store.isSound() ? 0 : 1;\n}\n\nprocess.exitCode = main(process.argv.slice(2));\n",
            ),
            ("src/index.ts", "export { Store } from './store';\n"),
            (
                "src/store.ts",
                "/** Keeps parcels until they are collected. */\nexport class Store {\n  constructor(readonly path: string) {}\n\n  isSound(): boolean {\n    return this.path.length > 0;\n  }\n}\n",
            ),
            (
                "test/store.test.ts",
                "import { expect, test } from 'vitest';\nimport { Store } from '../src/store';\n\ntest('a store is sound', () => {\n  expect(new Store('x').isSound()).toBe(true);\n});\n",
            ),
        ],
        expected: &["Harbour receives parcels", "npm test", "src/main.ts"],
    },
];
