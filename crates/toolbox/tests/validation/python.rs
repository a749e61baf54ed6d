//! Tools in Python: the same checks where they make sense, each finding in its place. The machine has to have Python.

use crate::world::{World, complaints};
use crate::{assert_found, not_found};
use toolbox::validate::Check::{self, *};
use toolbox::validate::Level;

/// With which nothing is wrong. Lines count: findings name them.
const GOOD: &str = "import re

SCHEMA = {
    'parameters': {'type': 'object', 'properties': {'a': {'type': 'string', 'description': 'text'}}, 'required': ['a']},
    'environment': {'type': 'object', 'properties': {'LEVEL': {'type': 'string', 'description': 'how much'}}},
}

def get_metadata():
    return {'name': 'good', 'description': 'A tool for tests of checks', 'version': '1.0.0', 'tags': ['a']}

def get_schema():
    return SCHEMA

def get_business_errors():
    return [{'code': 'WRONG', 'description': 'it is wrong', 'solution': 'put it right', 'match': re.compile('wrong'), 'retryable': False}]

def get_runtime_config():
    return {'sandboxType': 'python'}

async def execute(parameters, toolm):
    if not isinstance(parameters.get('a'), str):
        raise ValueError('the parameter a is missing or wrong')
    return {'a': parameters['a']}
";

const EXECUTE: &str = "async def execute(parameters, toolm):";
const RETURN: &str = "return {'a': parameters['a']}";

/// `(check, level, what is replaced, by what, line)`.
const ROWS: &[(Check, Level, &str, &str, u32)] = &[
    (
        ModuleSyntax,
        Level::Basic,
        EXECUTE,
        "async def execute(parameters:",
        20,
    ),
    (ModuleThrew, Level::Basic, "import re\n", "import re; 1 / 0\n", 1),
    (
        DescribingTooSlow,
        Level::Basic,
        "import re\n",
        "import re\nwhile True: pass\n",
        1,
    ),
    (
        ExecuteMissing,
        Level::Basic,
        EXECUTE,
        "async def run(parameters, toolm):",
        1,
    ),
    (
        ExecuteNotFunction,
        Level::Basic,
        EXECUTE,
        "execute = 1\nasync def run(parameters, toolm):",
        20,
    ),
    (
        ExecuteTakesNothing,
        Level::Basic,
        EXECUTE,
        "async def execute():\n    parameters = {}",
        20,
    ),
    (
        MetadataMethodMissing,
        Level::Basic,
        "def get_metadata",
        "def metadata_of",
        1,
    ),
    (
        MethodTakesParameters,
        Level::Basic,
        "def get_schema():",
        "def get_schema(a):",
        11,
    ),
    (MethodThrew, Level::Basic, "return SCHEMA", "return NOTHING", 11),
    (MetadataVersionFormat, Level::Basic, "'1.0.0'", "'one'", 9),
    (
        MetadataTagsType,
        Level::Basic,
        "['a']}\n\ndef get_s",
        "'a'}\n\ndef get_s",
        9,
    ),
    (
        ParameterTypeUnknown,
        Level::Basic,
        "{'type': 'string', 'description': 'text'}",
        "{'type': 'text', 'description': 'text'}",
        4,
    ),
    (ErrorMatchType, Level::Basic, "re.compile('wrong')", "7", 15),
    (
        ErrorSolutionMissing,
        Level::Basic,
        "'solution': 'put it right', ",
        "",
        15,
    ),
    (
        RuntimeSandboxOther,
        Level::Basic,
        "'sandboxType': 'python'",
        "'sandboxType': 'node'",
        18,
    ),
    (
        RuntimeNumberRange,
        Level::Basic,
        "{'sandboxType': 'python'}",
        "{'maxMemory': 1}",
        18,
    ),
    (
        VariableTypeUnknown,
        Level::Basic,
        "{'LEVEL': {'type': 'string'",
        "{'LEVEL': {'type': 'text'",
        5,
    ),
    (
        DependencyElsewhere,
        Level::Basic,
        EXECUTE,
        "def get_dependencies(): return {'requests': '2'}\nasync def execute(parameters, toolm):",
        20,
    ),
    (
        DependencyFileMissing,
        Level::Basic,
        EXECUTE,
        "def get_dependencies(): return {'lib.py': 'local'}\nasync def execute(parameters, toolm):",
        20,
    ),
    (
        ImportUndeclared,
        Level::Basic,
        "import re\n",
        "import re\nimport requests\n",
        2,
    ),
    (
        WrongTypeAccepted,
        Level::Full,
        "if not isinstance(parameters.get('a'), str)",
        "if 'a' not in parameters",
        4,
    ),
    (
        MissingAccepted,
        Level::Full,
        "raise ValueError",
        "return {}\n        ValueError",
        4,
    ),
    (ResultNotJson, Level::Full, RETURN, "return {parameters['a']}", 20),
    (
        ErrorTextShort,
        Level::Full,
        "'the parameter a is missing or wrong'",
        "'no'",
        22,
    ),
    (
        TrialFailed,
        Level::Full,
        RETURN,
        "raise OSError('the disk of the tool is full')",
        23,
    ),
    (TrialTooSlow, Level::Full, RETURN, "while True: pass", 20),
    (TrialExited, Level::Full, RETURN, "import sys; sys.exit(1)", 20),
    (TrialCrashed, Level::Full, RETURN, "import os; os.abort()", 20),
    (PathRefused, Level::Full, RETURN, "open('/etc/new', 'w')", 23),
];

fn put(world: &World, name: &str, source: &str, requirements: &str) {
    let folder = world.folder(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.tool.py")), source).unwrap();
    if !requirements.is_empty() {
        std::fs::write(folder.join("requirements.txt"), requirements).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_in_python_with_which_something_is_wrong_is_found_where_it_is() {
    let world = World::new();
    let mut wrong = Vec::new();
    for (number, (check, level, from, to, line)) in ROWS.iter().enumerate() {
        assert!(GOOD.contains(from), "{from}");
        let name = format!("t{number}");
        put(&world, &name, &GOOD.replacen(from, to, 1), "");
        let found = world.validate(&name, *level).await;
        wrong.extend(not_found(&found, *check, &format!("{name}.tool.py"), *line));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_tool_in_python_has_no_findings() {
    let world = World::new();
    put(&world, "good", GOOD, "");
    let found = world.validate("good", Level::Full).await;
    assert_eq!(complaints(&found), [""; 0]);
    let lying = GOOD.replace("'python'", "'docker'");
    put(&world, "lying", &lying, "");
    let found = world.validate("lying", Level::Basic).await;
    assert_found(&found, RuntimeSandboxUnknown, "lying.tool.py", 18);
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_requirements_are_found_by_their_number() {
    let world = World::new();
    let source = GOOD.replacen("import re\n", "import re\nimport requests\n", 1);
    put(
        &world,
        "t",
        &source,
        "# what it needs\nrequests\n-r more.txt\nidna==3.7\nIDNA>=3\ntomli==2; python_version < '3.11'\ntomli==1; python_version >= '3.11'\n",
    );
    let found = world.validate("t", Level::Full).await;
    assert_found(&found, RequirementUnpinned, "requirements.txt", 2);
    assert_found(&found, RequirementLine, "requirements.txt", 3);
    assert_found(&found, RequirementTwice, "requirements.txt", 5);
    assert_found(&found, ModulesMissing, "requirements.txt", 1);
    let twice = found.findings.iter().filter(|one| one.check == RequirementTwice);
    assert_eq!(twice.count(), 1, "{found:?}");
    let undeclared = found.findings.iter().any(|one| one.check == ImportUndeclared);
    assert!(
        !undeclared,
        "what a package is imported as nobody can tell: {found:?}"
    );
}
