// SPDX-License-Identifier: BSD-3-Clause
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules', '**/*.mjs', 'eslint.config.js'] },
  ...tseslint.configs.strict,
  ...tseslint.configs.stylistic,
  {
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-for-of': 'off',
      'eqeqeq': 'error',
      'max-lines': ['error', 400],
      'no-console': 'error',
      'prefer-const': 'error',
    },
  },
);
