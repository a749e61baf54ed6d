/** The smallest tool that does something, for an empty toolbox. */

export const EXAMPLE_NAME = 'hello';

export const EXAMPLE = `export default {
  getMetadata() {
    return {
      name: 'hello',
      version: '1.0.0',
      description: 'Greets somebody',
    };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Whom to greet' },
        },
        required: ['name'],
      },
    };
  },

  async execute({ name }) {
    return { text: \`Hello, \${name}!\` };
  },
};
`;
