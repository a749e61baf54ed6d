import js from '@eslint/js';
import vue from 'eslint-plugin-vue';
import ts from 'typescript-eslint';

export default ts.config(
  { ignores: ['dist', 'dist-page', 'node_modules', 'src/generated'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...vue.configs['flat/recommended'],
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    files: ['**/*.{ts,vue}'],
    rules: {
      // vue-tsc knows the globals; the rule does not.
      'no-undef': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
      // Every word a person reads comes from src/locales.
      'vue/no-bare-strings-in-template': 'error',
      'vue/no-v-html': 'error',
      // Prettier decides about layout.
      'vue/html-self-closing': 'off',
      'vue/html-indent': 'off',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@tauri-apps/*'],
              message: 'Only src/platform knows the shell (STYLE 13).',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/platform/**'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: ['public/*.js'],
    languageOptions: { globals: { document: 'readonly', localStorage: 'readonly' } },
  },
);
