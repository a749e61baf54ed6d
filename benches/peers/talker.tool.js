// The tool of the soak that fills its log, which is rotated and read while it writes.
const LINES = 200;

export default {
  getMetadata() {
    return {
      id: 'talker',
      name: 'talker',
      description: 'Writes lines into its log',
      version: '1.0.0',
      category: 'example',
      author: 'Prompt Manager',
      tags: ['benchmark'],
      scenarios: ['Measuring what a log costs'],
      limitations: ['Says nothing of interest'],
    };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: { n: { type: 'number', description: 'What it talks about' } },
        required: ['n'],
      },
    };
  },

  async execute({ n }) {
    for (let line = 0; line < LINES; line++) console.log(`line ${line} about ${n}`);
    return { lines: LINES };
  },
};
