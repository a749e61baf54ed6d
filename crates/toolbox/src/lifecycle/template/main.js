/**
 * {{tool}}: says a greeting, and counts how often it did.
 *
 * Replace what execute() does; everything else is asked for by whoever uses the tool.
 */

class GreetingError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'GreetingError';
    this.code = code;
  }
}

export default {
  getMetadata() {
    return {
      id: '{{tool}}',
      name: '{{tool}}',
      description: 'Says a greeting in one of several languages',
      version: '0.1.0',
      category: 'example',
      author: 'you',
      tags: ['example'],
      scenarios: ['A model wants to greet somebody'],
      limitations: ['Knows the languages of its schema only'],
    };
  },

  // npm packages with their ranges, or 'local' for a file of this folder.
  getDependencies() {
    return {};
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Whom to greet', minLength: 1 },
          language: {
            type: 'string',
            description: 'In which language',
            enum: ['en', 'zh', 'fr'],
            default: 'en',
          },
        },
        required: ['name'],
      },
      environment: {
        type: 'object',
        properties: {
          GREETING_SIGN: { type: 'string', description: 'What ends a greeting', default: '!' },
        },
        required: [],
      },
    };
  },

  // A failure whose message matches is explained by its solution.
  getBusinessErrors() {
    return [
      {
        code: 'NAME_EMPTY',
        match: /name is empty/i,
        description: 'The name has nothing but white space',
        solution: 'Give a name with at least one letter',
        retryable: false,
      },
    ];
  },

  // What it asks for; a person gives it. Nothing is the best there is.
  getRuntimeConfig() {
    return { maxMemory: 64, maxExecutionTime: 10, networkAccess: false };
  },

  async execute({ name, language = 'en' }) {
    const { api } = this;
    if (name.trim() === '') throw new GreetingError('NAME_EMPTY', 'The name is empty');
    const words = { en: 'Hello', zh: '你好', fr: 'Bonjour' };
    const sign = api.environment.get('GREETING_SIGN') ?? '!';
    const count = ((await api.storage.getItem('count')) ?? 0) + 1;
    await api.storage.setItem('count', count);
    api.logger.info('greeted', { language, count });
    return { greeting: `${words[language]}, ${name.trim()}${sign}`, count };
  },
};
