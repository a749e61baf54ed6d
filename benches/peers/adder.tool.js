// The tool of the benchmark: the same file runs in pm, in a fresh node, and in the SDK's server.
export default {
  getMetadata() {
    return {
      id: 'adder',
      name: 'adder',
      description: 'Adds two numbers',
      version: '1.0.0',
      category: 'example',
      author: 'Prompt Manager',
      tags: ['benchmark'],
      scenarios: ['Measuring what a call costs'],
      limitations: ['Knows nothing but addition'],
    };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'First number' },
          b: { type: 'number', description: 'Second number' },
        },
        required: ['a', 'b'],
      },
    };
  },

  async execute({ a, b }) {
    return { sum: a + b };
  },
};
