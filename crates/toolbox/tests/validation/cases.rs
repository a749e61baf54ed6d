//! Broken tools: each breaks one thing of the good one, which is found where it stands.

use super::world::GOOD;
use std::path::Path;
use toolbox::validate::Check::{self, *};

/// `(check, what is replaced, by what, line)`; the line is that of the tool's file.
pub type Row = (Check, &'static str, &'static str, u32);

const A: &str = "{ type: 'string', description: 'text' }";
const DEPENDENCIES: &str = "getDependencies() { return {}; },";
const ENTRY: &str = "{ code: 'WRONG', description: 'it is wrong', solution: 'put it right', match: /wrong/, retryable: false }";
const VARIABLE: &str = "LEVEL: { type: 'string', description: 'how much' }";

/// What the tool says of itself: basic level.
pub const SAID: &[Row] = &[
    (
        ModuleSyntax,
        "async execute(params) {",
        "async execute(params {",
        15,
    ),
    (ModuleThrew, "export default {", "null.x; export default {", 1),
    (NoDefaultExport, "export default {", "export const tool = {", 1),
    (CommonJs, "export default {", "module.exports = {", 1),
    (
        DescribingTooSlow,
        "export default {",
        "for (;;); export default {",
        1,
    ),
    (
        DescribingTooLarge,
        "export default {",
        "const x = []; for (;;) x.push(new Array(1e5).fill(1.5)); export default {",
        1,
    ),
    (ExecuteMissing, "async execute(", "async run(", 1),
    (
        ExecuteNotFunction,
        "async execute(params) {",
        "execute: 1, async run(params) {",
        15,
    ),
    (
        ExecuteTakesNothing,
        "async execute(params) {",
        "async execute() { const params = arguments[0];",
        15,
    ),
    (DependenciesMethodMissing, DEPENDENCIES, "", 1),
    (MetadataMethodMissing, "getMetadata() {", "metadataOf() {", 1),
    (SchemaMethodMissing, "getSchema() {", "schemaOf() {", 1),
    (ErrorsMethodMissing, "getBusinessErrors() {", "errorsOf() {", 1),
    (
        MethodNotFunction,
        "getDependencies() { return {}; },",
        "getDependencies: {},",
        2,
    ),
    (MethodTakesParameters, "getMetadata() {", "getMetadata(lang) {", 3),
    (
        MemberMisspelt,
        "getBusinessErrors() {",
        "getBusinesserrors() {",
        12,
    ),
    (MetadataNameMissing, "name: 'good', ", "", 3),
    (MetadataNameType, "name: 'good'", "name: 7", 4),
    (
        MetadataDescriptionMissing,
        "description: 'A tool for tests of checks'",
        "description: ' '",
        4,
    ),
    (
        MetadataDescriptionType,
        "description: 'A tool for tests of checks'",
        "description: ['x']",
        4,
    ),
    (
        MetadataDescriptionShort,
        "description: 'A tool for tests of checks'",
        "description: 'short'",
        4,
    ),
    (MetadataVersionMissing, ", version: '1.0.0'", "", 3),
    (MetadataVersionType, "version: '1.0.0'", "version: 1", 4),
    (MetadataVersionFormat, "version: '1.0.0'", "version: 'v1'", 4),
    (MetadataAuthorType, "tags: ['a']", "author: { name: 'x' }", 4),
    (MetadataTagsType, "tags: ['a']", "tags: 'a'", 4),
    (MetadataTagTwice, "tags: ['a']", "tags: ['a',\n 'a']", 5),
    (MetadataScenariosType, "tags: ['a']", "scenarios: 'a'", 4),
    (MetadataLimitationsType, "tags: ['a']", "limitations: {}", 4),
    (MetadataItemType, "tags: ['a']", "scenarios: ['a',\n\n 7]", 6),
    (
        SchemaParametersMissing,
        "parameters: { type: 'object'",
        "parametres: { type: 'object'",
        6,
    ),
    (
        SchemaBare,
        "parameters: { type: 'object', properties: { a: { type: 'string', description: 'text' } }, required: ['a'] },",
        "properties: {},",
        8,
    ),
    (SchemaParametersType, "parameters: {", "parameters: 'a', x: {", 8),
    (
        SchemaPropertiesType,
        "properties: { a: { type: 'string', description: 'text' } }, required: ['a']",
        "properties: []",
        8,
    ),
    (SchemaRequiredType, "required: ['a']", "required: 'a'", 8),
    (
        SchemaRequiredUnknown,
        "required: ['a']",
        "required: ['a',\n'b']",
        9,
    ),
    (SchemaRequiredTwice, "required: ['a']", "required: ['a', 'a']", 8),
    (ParameterNotObject, A, "'string'", 8),
    (ParameterTypeMissing, A, "{ description: 'text' }", 8),
    (
        ParameterTypeUnknown,
        A,
        "{ description: 'text',\n type: 'text' }",
        9,
    ),
    (ParameterDescriptionMissing, A, "{ type: 'string' }", 8),
    (
        ParameterRequiredMark,
        "} }, required: ['a']",
        ", required: true } }",
        8,
    ),
    (
        ParameterEnumType,
        A,
        "{ type: 'string', description: 'text',\n enum: 'a' }",
        9,
    ),
    (
        ParameterEnumEmpty,
        A,
        "{ type: 'string', description: 'text', enum: [] }",
        8,
    ),
    (
        ParameterEnumValue,
        A,
        "{ type: 'string', description: 'text', enum: ['a',\n 7] }",
        9,
    ),
    (
        ParameterBoundType,
        A,
        "{ type: 'string', description: 'text', maxLength: '9' }",
        8,
    ),
    (
        ParameterBoundMisplaced,
        A,
        "{ type: 'string', description: 'text', minimum: 9 }",
        8,
    ),
    (
        ParameterBoundsReversed,
        A,
        "{ type: 'string', description: 'text',\n\n minLength: 9, maxLength: 8 }",
        10,
    ),
    (
        ParameterExampleInvalid,
        A,
        "{ type: 'string', description: 'text', example: 7 }",
        8,
    ),
    (
        ParameterItemsMissing,
        A,
        "{ type: 'array', description: 'text' }",
        8,
    ),
    (
        ParameterDefaultInvalid,
        "required: ['a']",
        "x: 1, properties: { b: { type: 'integer', description: 'n', default: 'x' } }",
        8,
    ),
    (
        ParameterDefaultOfRequired,
        A,
        "{ type: 'string', description: 'text', default: 'x' }",
        8,
    ),
    (SchemaEnvironmentMissing, "environment: {", "environ: {", 6),
    (
        SchemaEnvironmentType,
        "environment: {",
        "environment: [], x: {",
        9,
    ),
    (
        SchemaEnvironmentProperties,
        "environment: { type: 'object', properties: {",
        "environment: { x: {",
        9,
    ),
    (
        MethodThrew,
        "getDependencies() { return {}; }",
        "getDependencies() { throw new Error('no'); }",
        2,
    ),
    (
        MethodReturnedNothing,
        "getDependencies() { return {}; }",
        "getDependencies() {}",
        2,
    ),
    (
        DependenciesType,
        "getDependencies() { return {}; }",
        "getDependencies() { return ['a']; }",
        2,
    ),
    (DependencyName, "return {};", "return { 'no name': '^1.0.0' };", 2),
    (DependencyVersionType, "return {};", "return {\n lodash: 4 };", 3),
    (DependencyVersionEmpty, "return {};", "return { lodash: '' };", 2),
    (MetadataType, "getMetadata() {", "getMetadata() { return 'x';", 3),
    (SchemaType, "getSchema() {", "getSchema() { return 'x';", 6),
    (
        BusinessErrorsType,
        "getBusinessErrors() {",
        "getBusinessErrors() { return {};",
        12,
    ),
    (
        SystemDependenciesType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getSystemDependencies() { return 'ls'; },",
        2,
    ),
    (
        ManualType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, generateManual() { return 7; },",
        2,
    ),
    (
        TranslationsType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getTranslations() { return 'en'; },",
        2,
    ),
    (
        RuntimeType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return 7; },",
        2,
    ),
    (
        RuntimeSandboxUnknown,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { sandboxType: 'docker' }; },",
        2,
    ),
    (
        RuntimeNumberType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { maxMemory: '64' }; },",
        2,
    ),
    (
        RuntimeNumberRange,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { maxExecutionTime: 99999 }; },",
        2,
    ),
    (
        RuntimeDirectoriesType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { allowedDirectories: '/a' }; },",
        2,
    ),
    (
        RuntimeDirectoryRelative,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { allowedDirectories: [\n'here'] }; },",
        3,
    ),
    (
        RuntimeNetworkType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { networkAccess: 'all' }; },",
        2,
    ),
    (
        RuntimeHostMalformed,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { networkAccess: { hosts: [\n'a b'] } }; },",
        3,
    ),
    (
        RuntimeProcessesType,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { processes: 'yes' }; },",
        2,
    ),
    (
        RuntimeVariableName,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getRuntimeConfig() { return { environment: { lower: '1' } }; },",
        2,
    ),
    (ErrorType, ENTRY, "'WRONG'", 13),
    (ErrorCodeMissing, "code: 'WRONG', ", "", 13),
    (ErrorCodeFormat, "'WRONG'", "'wrong code'", 13),
    (
        ErrorCodeTwice,
        ENTRY,
        "{ code: 'A', description: 'd', solution: 's', match: 'a' },\n{ code: 'A', description: 'd', solution: 's', match: 'b' }",
        14,
    ),
    (ErrorDescriptionMissing, "description: 'it is wrong', ", "", 13),
    (
        ErrorSolutionMissing,
        "solution: 'put it right'",
        "solution: ''",
        13,
    ),
    (ErrorRetryableType, "retryable: false", "retryable: 'no'", 13),
    (ErrorMatchMissing, "match: /wrong/, ", "", 13),
    (ErrorMatchType, "match: /wrong/", "match: 7", 13),
    (
        DependencyFileMissing,
        "return {};",
        "return { 'own.js': 'local' };",
        2,
    ),
    (DependencyUnpinned, "return {};", "return { lodash: '*' };", 2),
    (ModulesMissing, "return {};", "return { lodash: '^4.0.0' };", 2),
    (
        DependencyCommandMissing,
        DEPENDENCIES,
        "getDependencies() { return {}; }, getSystemDependencies() { return ['no-such-command-here']; },",
        2,
    ),
    (
        ImportUndeclared,
        "export default {",
        "import _ from 'lodash';\nexport default {",
        1,
    ),
    (VariableName, "LEVEL: {", "level: {", 9),
    (VariableNotObject, VARIABLE, "LEVEL: 'string'", 9),
    (
        VariableDescriptionMissing,
        VARIABLE,
        "LEVEL: { type: 'string' }",
        9,
    ),
    (
        VariableTypeUnknown,
        VARIABLE,
        "LEVEL: { type: 'text', description: 'x' }",
        9,
    ),
    (
        VariableDefaultInvalid,
        VARIABLE,
        "LEVEL: { type: 'integer', description: 'x', default: 'much' }",
        9,
    ),
    (
        VariableSecretDefault,
        VARIABLE,
        "API_KEY: { type: 'string', description: 'x', default: 'abc' }",
        9,
    ),
    (
        VariableRequiredUnknown,
        "environment: { type: 'object',",
        "environment: { type: 'object', required: ['OTHER'],",
        9,
    ),
    (
        EnvRequiredUnset,
        "environment: { type: 'object',",
        "environment: { type: 'object', required: ['LEVEL'],",
        1,
    ),
];

/// What the tool does: full level.
pub const DONE: &[Row] = &[
    (
        MissingAccepted,
        "if (typeof params.a !== 'string') throw new Error('the parameter a is missing or wrong');",
        "",
        8,
    ),
    (
        WrongTypeAccepted,
        "typeof params.a !== 'string'",
        "params.a === undefined",
        8,
    ),
    (
        OutsideEnumAccepted,
        A,
        "{ type: 'string', description: 'text', enum: ['x'] }",
        8,
    ),
    (
        BelowMinimumAccepted,
        "async execute(params) {",
        "getSchema() { return { parameters: { type: 'object', properties: { a: { type: 'number', description: 'n',\n minimum: 1 } } }, environment: { type: 'object', properties: {} } }; }, async execute(params) { if (params.a !== undefined) return {};",
        16,
    ),
    (
        AboveMaximumAccepted,
        "async execute(params) {",
        "getSchema() { return { parameters: { type: 'object', properties: { a: { type: 'integer', description: 'n', maximum: 1 } } }, environment: { type: 'object', properties: {} } }; }, async execute(params) { if (params.a !== undefined) return {};",
        15,
    ),
    (
        TooShortAccepted,
        A,
        "{ type: 'string', description: 'text', minLength: 3 }",
        8,
    ),
    (
        TooLongAccepted,
        A,
        "{ type: 'string', description: 'text',\n maxLength: 3 }",
        9,
    ),
    (
        UnknownAccepted,
        "async execute(params) {",
        "getSchema() { return { parameters: { additionalProperties: false, type: 'object', properties: { a: { type: 'string', description: 'n' } } }, environment: { type: 'object', properties: {} } }; }, async execute(params) { if (params.invalidParam) return {};",
        15,
    ),
    (ResultUndefined, "return { a: params.a };", "", 15),
    (ResultNull, "return { a: params.a };", "return null;", 15),
    (ResultKind, "return { a: params.a };", "return 7;", 15),
    (ResultNotJson, "return { a: params.a };", "return { a: 1n };", 15),
    (
        ResultTooLarge,
        "return { a: params.a };",
        "return { a: 'x'.repeat(17 << 20) };",
        15,
    ),
    (
        ResultContentType,
        "return { a: params.a };",
        "return { content: { text: 'x' } };",
        15,
    ),
    (
        ResultContentItem,
        "return { a: params.a };",
        "return { content: ['x'] };",
        15,
    ),
    (
        ResultPicture,
        "return { a: params.a };",
        "return { images: [{ data: 'AA' }] };",
        15,
    ),
    (ErrorTextMissing, "'the parameter a is missing or wrong'", "", 16),
    (
        ErrorTextShort,
        "'the parameter a is missing or wrong'",
        "'wrong'",
        16,
    ),
    (
        ThrownNoError,
        "throw new Error('the parameter a is missing or wrong')",
        "throw 'the parameter a is missing'",
        15,
    ),
    (NotTried, "return {};", "return { lodash: '^4.0.0' };", 15),
    (TrialTooSlow, "return { a: params.a };", "for (;;);", 15),
    (
        TrialMemory,
        "return { a: params.a };",
        "const x = []; for (;;) x.push(new Array(1e5).fill(1.5));",
        15,
    ),
    (TrialExited, "return { a: params.a };", "process.exit(3);", 15),
    (
        TrialNeverSettles,
        "return { a: params.a };",
        "await new Promise(() => {});",
        15,
    ),
    (
        TrialFailed,
        "return { a: params.a };",
        "throw new Error('there is no real data here');",
        17,
    ),
    (
        NetworkUndeclared,
        "return { a: params.a };",
        "await fetch('http://a.example/');",
        15,
    ),
    (
        NetworkRefused,
        "async execute(params) {",
        "getRuntimeConfig() { return { networkAccess: true }; }, async execute(params) {\nif (params.a) await fetch('http://a.example/');",
        15,
    ),
    (
        ProcessesUndeclared,
        "return { a: params.a };",
        "(await import('node:child_process')).execSync('ls');",
        17,
    ),
    (
        ProcessesRefused,
        "async execute(params) {",
        "getRuntimeConfig() { return { processes: true }; }, async execute(params) {\nif (params.a) (await import('node:child_process')).execSync('ls');",
        16,
    ),
    (
        PathRefused,
        "return { a: params.a };",
        "return this.resolvePromptManagerPath('/etc/passwd');",
        17,
    ),
];

/// What lies in the folder: done to it after the tool was first described. The file and the line.
pub type Lies = (Check, fn(&Path), &'static str, u32);

pub const LIES: &[Lies] = &[
    (MainFileMissing, |f| remove(f, "t.tool.js"), "", 0),
    (MainFileLink, |f| link(f, "t.tool.js"), "t.tool.js", 1),
    (MainFileEmpty, |f| put(f, "t.tool.js", b" \n"), "t.tool.js", 1),
    (
        MainFileNotText,
        |f| {
            put(
                f,
                "t.tool.js",
                b"export default {\n execute() { return '\xff'; } };",
            )
        },
        "t.tool.js",
        2,
    ),
    (
        MainFileLarge,
        |f| put(f, "t.tool.js", &[GOOD.as_bytes(), &[b'\n'; 1 << 20]].concat()),
        "t.tool.js",
        1,
    ),
    (OtherMainFile, |f| put(f, "other.tool.js", b""), "", 0),
    (OwnFolderBlocked, |f| put(f, "cache", b""), "", 0),
    (
        PackageJsonMissing,
        |f| remove(f, "package.json"),
        "package.json",
        1,
    ),
    (
        PackageJsonUnreadable,
        |f| put(f, "package.json", b"{\n\"a\": }"),
        "package.json",
        2,
    ),
    (EnvUnreadable, |f| put(f, ".env", b"\xff"), ".env", 1),
    (
        EnvLine,
        |f| put(f, ".env", b"# fine\nLEVEL=1\nno entry\n"),
        ".env",
        3,
    ),
    (
        EnvUndeclared,
        |f| put(f, ".env", b"LEVEL=1\nOTHER=2\n"),
        ".env",
        2,
    ),
    (EnvOpenToOthers, |f| open(f, ".env", b"LEVEL=1\n"), ".env", 1),
];

fn remove(folder: &Path, name: &str) {
    std::fs::remove_file(folder.join(name)).unwrap();
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn open(folder: &Path, name: &str, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    put(folder, name, bytes);
    std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o644)).unwrap();
}

fn link(folder: &Path, name: &str) {
    std::fs::rename(folder.join(name), folder.join("real.js")).unwrap();
    std::os::unix::fs::symlink("real.js", folder.join(name)).unwrap();
}

/// The good tool with that part of it replaced.
pub fn broken(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}
