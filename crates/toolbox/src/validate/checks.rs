//! The table of checks: every finding is one of these, and docs/validation.md lists them all.
//!
//! Deliberately not here: how a check is made, and its words (`resources/words/checks.json`).

/// Where in a tool something is wrong: the eleven layers of seed 002 section 12.2, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    Files,
    Interface,
    Metadata,
    Schema,
    Methods,
    Parameters,
    Results,
    Errors,
    Dependencies,
    Environment,
    Integration,
}

impl Layer {
    pub const ALL: [Layer; 11] = [
        Layer::Files,
        Layer::Interface,
        Layer::Metadata,
        Layer::Schema,
        Layer::Methods,
        Layer::Parameters,
        Layer::Results,
        Layer::Errors,
        Layer::Dependencies,
        Layer::Environment,
        Layer::Integration,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The tool does not do what it says, or cannot.
    Error,
    Warning,
    /// Nothing is wrong; whoever reads the report should know it.
    Note,
}

/// How far a validation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What the tool says of itself and what lies in its folder.
    Basic,
    /// And what it does: trial runs.
    Full,
}

impl Check {
    /// Whether nothing can be said of a layer where this is found: the tool could not be read, or not
    /// be run.
    pub fn ends(self, layer: Layer) -> bool {
        use Check::*;
        match self {
            MainFileMissing | ModuleSyntax | ModuleThrew | NoDefaultExport | DescribingTooSlow
            | DescribingTooLarge | NotDescribed => layer > Layer::Interface,
            ExecuteMissing | ExecuteNotFunction | NotTried => {
                matches!(layer, Layer::Results | Layer::Integration)
            }
            _ => false,
        }
    }
}

macro_rules! checks {
    ($($layer:ident { $($check:ident $code:literal $severity:ident $level:ident;)* })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Check { $($($check,)*)* }

        impl Check {
            /// In the order of layers.
            pub const ALL: &[Check] = &[$($(Check::$check,)*)*];

            /// Stable; the key of its words.
            pub fn code(self) -> &'static str {
                match self { $($(Check::$check => $code,)*)* }
            }

            pub fn layer(self) -> Layer {
                match self { $($(Check::$check => Layer::$layer,)*)* }
            }

            pub fn severity(self) -> Severity {
                match self { $($(Check::$check => Severity::$severity,)*)* }
            }

            pub fn level(self) -> Level {
                match self { $($(Check::$check => Level::$level,)*)* }
            }
        }
    };
}

checks! {
    Files {
        MainFileMissing "main_file_missing" Error Basic;
        MainFileLink "main_file_link" Error Basic;
        MainFileEmpty "main_file_empty" Error Basic;
        MainFileNotText "main_file_not_text" Error Basic;
        MainFileLarge "main_file_large" Warning Basic;
        OtherMainFile "other_main_file" Warning Basic;
        OwnFolderBlocked "own_folder_blocked" Error Basic;
    }
    Interface {
        ModuleSyntax "module_syntax" Error Basic;
        ModuleThrew "module_threw" Error Basic;
        NoDefaultExport "no_default_export" Error Basic;
        CommonJs "commonjs_module" Error Basic;
        DescribingTooSlow "describing_too_slow" Error Basic;
        DescribingTooLarge "describing_too_large" Error Basic;
        NotDescribed "not_described" Error Basic;
        ExecuteMissing "execute_missing" Error Basic;
        ExecuteNotFunction "execute_not_function" Error Basic;
        ExecuteTakesNothing "execute_takes_nothing" Warning Basic;
        DependenciesMethodMissing "dependencies_method_missing" Warning Basic;
        MetadataMethodMissing "metadata_method_missing" Warning Basic;
        SchemaMethodMissing "schema_method_missing" Warning Basic;
        ErrorsMethodMissing "errors_method_missing" Warning Basic;
        MethodNotFunction "method_not_function" Error Basic;
        MethodTakesParameters "method_takes_parameters" Warning Basic;
        MemberMisspelt "member_misspelt" Warning Basic;
    }
    Metadata {
        MetadataNameMissing "metadata_name_missing" Error Basic;
        MetadataNameType "metadata_name_type" Error Basic;
        MetadataDescriptionMissing "metadata_description_missing" Error Basic;
        MetadataDescriptionType "metadata_description_type" Error Basic;
        MetadataDescriptionShort "metadata_description_short" Warning Basic;
        MetadataVersionMissing "metadata_version_missing" Error Basic;
        MetadataVersionType "metadata_version_type" Error Basic;
        MetadataVersionFormat "metadata_version_format" Error Basic;
        MetadataAuthorType "metadata_author_type" Warning Basic;
        MetadataTagsType "metadata_tags_type" Error Basic;
        MetadataTagTwice "metadata_tag_twice" Warning Basic;
        MetadataScenariosType "metadata_scenarios_type" Error Basic;
        MetadataLimitationsType "metadata_limitations_type" Error Basic;
        MetadataItemType "metadata_item_type" Warning Basic;
    }
    Schema {
        SchemaParametersMissing "schema_parameters_missing" Warning Basic;
        SchemaBare "schema_bare" Error Basic;
        SchemaParametersType "schema_parameters_type" Error Basic;
        SchemaPropertiesType "schema_properties_type" Error Basic;
        SchemaRequiredType "schema_required_type" Error Basic;
        SchemaRequiredUnknown "schema_required_unknown" Error Basic;
        SchemaRequiredTwice "schema_required_twice" Warning Basic;
        ParameterNotObject "parameter_not_object" Error Basic;
        ParameterTypeMissing "parameter_type_missing" Error Basic;
        ParameterTypeUnknown "parameter_type_unknown" Error Basic;
        ParameterDescriptionMissing "parameter_description_missing" Warning Basic;
        ParameterRequiredMark "parameter_required_mark" Error Basic;
        ParameterEnumType "parameter_enum_type" Error Basic;
        ParameterEnumEmpty "parameter_enum_empty" Error Basic;
        ParameterEnumValue "parameter_enum_value" Error Basic;
        ParameterBoundType "parameter_bound_type" Error Basic;
        ParameterBoundMisplaced "parameter_bound_misplaced" Warning Basic;
        ParameterBoundsReversed "parameter_bounds_reversed" Error Basic;
        ParameterExampleInvalid "parameter_example_invalid" Warning Basic;
        ParameterItemsMissing "parameter_items_missing" Warning Basic;
        SchemaEnvironmentMissing "schema_environment_missing" Warning Basic;
        SchemaEnvironmentType "schema_environment_type" Error Basic;
        SchemaEnvironmentProperties "schema_environment_properties" Error Basic;
    }
    Methods {
        MethodThrew "method_threw" Error Basic;
        MethodReturnedNothing "method_returned_nothing" Warning Basic;
        DependenciesType "dependencies_type" Error Basic;
        DependencyName "dependency_name" Error Basic;
        DependencyVersionType "dependency_version_type" Error Basic;
        DependencyVersionEmpty "dependency_version_empty" Error Basic;
        MetadataType "metadata_type" Error Basic;
        SchemaType "schema_type" Error Basic;
        BusinessErrorsType "business_errors_type" Error Basic;
        SystemDependenciesType "system_dependencies_type" Error Basic;
        ManualType "manual_type" Warning Basic;
        TranslationsType "translations_type" Warning Basic;
        RuntimeType "runtime_type" Error Basic;
        RuntimeSandboxUnknown "runtime_sandbox_unknown" Error Basic;
        RuntimeSandboxOther "runtime_sandbox_other" Error Basic;
        RuntimeNumberType "runtime_number_type" Error Basic;
        RuntimeNumberRange "runtime_number_range" Warning Basic;
        RuntimeDirectoriesType "runtime_directories_type" Error Basic;
        RuntimeDirectoryRelative "runtime_directory_relative" Error Basic;
        RuntimeNetworkType "runtime_network_type" Error Basic;
        RuntimeHostMalformed "runtime_host_malformed" Error Basic;
        RuntimeProcessesType "runtime_processes_type" Error Basic;
        RuntimeVariableName "runtime_variable_name" Warning Basic;
    }
    Parameters {
        ParameterDefaultInvalid "parameter_default_invalid" Error Basic;
        ParameterDefaultOfRequired "parameter_default_of_required" Warning Basic;
        MissingAccepted "missing_accepted" Warning Full;
        WrongTypeAccepted "wrong_type_accepted" Warning Full;
        OutsideEnumAccepted "outside_enum_accepted" Warning Full;
        BelowMinimumAccepted "below_minimum_accepted" Warning Full;
        AboveMaximumAccepted "above_maximum_accepted" Warning Full;
        TooShortAccepted "too_short_accepted" Warning Full;
        TooLongAccepted "too_long_accepted" Warning Full;
    }
    Results {
        ResultUndefined "result_undefined" Error Full;
        ResultNull "result_null" Warning Full;
        ResultKind "result_kind" Error Full;
        ResultNotJson "result_not_json" Error Full;
        ResultTooLarge "result_over_limit" Error Full;
        ResultContentType "result_content_type" Error Full;
        ResultContentItem "result_content_item" Error Full;
        ResultPicture "result_picture" Error Full;
    }
    Errors {
        ErrorType "error_type" Error Basic;
        ErrorCodeMissing "error_code_missing" Error Basic;
        ErrorCodeFormat "error_code_format" Error Basic;
        ErrorCodeTwice "error_code_twice" Warning Basic;
        ErrorDescriptionMissing "error_description_missing" Error Basic;
        ErrorSolutionMissing "error_solution_missing" Error Basic;
        ErrorRetryableType "error_retryable_type" Error Basic;
        ErrorMatchMissing "error_match_missing" Warning Basic;
        ErrorMatchType "error_match_type" Error Basic;
        UnknownAccepted "unknown_accepted" Warning Full;
        ErrorTextMissing "error_text_missing" Error Full;
        ErrorTextShort "error_text_short" Warning Full;
        ThrownNoError "thrown_no_error" Warning Full;
    }
    Dependencies {
        PackageJsonMissing "package_json_missing" Error Basic;
        PackageJsonUnreadable "package_json_unreadable" Error Basic;
        PackageJsonLacks "package_json_lacks" Warning Basic;
        PackageJsonDiffers "package_json_differs" Warning Basic;
        ModulesMissing "modules_missing" Note Basic;
        DependencyNotInstalled "dependency_not_installed" Error Basic;
        DependencyOtherVersion "dependency_other_version" Error Basic;
        DependencyFileMissing "dependency_file_missing" Error Basic;
        DependencyCommandMissing "dependency_command_missing" Error Basic;
        DependencyUnpinned "dependency_unpinned" Warning Basic;
        ImportUndeclared "import_undeclared" Warning Basic;
        RequirementLine "requirement_line" Error Basic;
        RequirementUnpinned "requirement_unpinned" Warning Basic;
        RequirementTwice "requirement_twice" Warning Basic;
        DependencyElsewhere "dependency_elsewhere" Warning Basic;
    }
    Environment {
        VariableName "variable_name" Error Basic;
        VariableNotObject "variable_not_object" Error Basic;
        VariableDescriptionMissing "variable_description_missing" Warning Basic;
        VariableTypeUnknown "variable_type_unknown" Error Basic;
        VariableDefaultInvalid "variable_default_invalid" Error Basic;
        VariableSecretDefault "variable_secret_default" Warning Basic;
        VariableRequiredUnknown "variable_required_unknown" Error Basic;
        EnvUnreadable "env_unreadable" Error Basic;
        EnvLine "env_line" Error Basic;
        EnvUndeclared "env_undeclared" Warning Basic;
        EnvValueInvalid "env_value_invalid" Error Basic;
        EnvRequiredUnset "env_required_unset" Warning Basic;
        EnvOpenToOthers "env_open_to_others" Warning Basic;
    }
    Integration {
        NotTried "not_tried" Warning Full;
        TrialTooSlow "trial_too_slow" Error Full;
        TrialMemory "trial_memory" Error Full;
        TrialExited "trial_exited" Error Full;
        TrialNeverSettles "trial_never_settles" Error Full;
        TrialCrashed "trial_crashed" Error Full;
        TrialAddon "trial_addon" Error Full;
        TrialFailed "trial_failed" Note Full;
        NetworkUndeclared "network_undeclared" Warning Full;
        NetworkRefused "network_refused" Note Full;
        ProcessesUndeclared "processes_undeclared" Warning Full;
        ProcessesRefused "processes_refused" Note Full;
        PathRefused "path_refused" Note Full;
        SecretLogged "secret_logged" Error Full;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_every_layer_has_checks_in_order() {
        let codes: BTreeSet<&str> = Check::ALL.iter().map(|check| check.code()).collect();
        assert_eq!(codes.len(), Check::ALL.len());
        let mut layers: Vec<Layer> = Check::ALL.iter().map(|check| check.layer()).collect();
        assert!(layers.is_sorted());
        layers.dedup();
        assert_eq!(layers, Layer::ALL);
    }
}
