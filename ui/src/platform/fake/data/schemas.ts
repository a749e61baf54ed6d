/** Parameters of fake tools that show what a form can be made of. */

export const SCHEMAS: Record<string, unknown> = {
  todolist: {
    type: 'object',
    properties: {
      action: {
        type: 'string',
        enum: ['list', 'add', 'update', 'done', 'remove', 'move', 'stats'],
        description: '要做的操作',
      },
      title: { type: 'string', minLength: 1, maxLength: 500, description: '待办的标题' },
      note: { type: 'string', maxLength: 5000, description: '备注，支持 Markdown' },
      priority: { type: 'string', enum: ['low', 'normal', 'high'], default: 'normal' },
      due: { type: ['string', 'null'], format: 'date', description: '截止日期；null 表示取消' },
      tags: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 10 },
      done: { type: 'boolean', description: '是否已经完成' },
    },
    required: ['action'],
  },
  'csv-clean': {
    type: 'object',
    properties: {
      source: {
        description: 'Where the rows come from',
        oneOf: [
          {
            title: 'File',
            type: 'object',
            properties: { kind: { const: 'file' }, path: { type: 'string', format: 'path' } },
            required: ['kind', 'path'],
          },
          {
            title: 'Text',
            type: 'object',
            properties: { kind: { const: 'text' }, text: { type: 'string', format: 'textarea' } },
            required: ['kind', 'text'],
          },
        ],
      },
      columns: {
        type: 'array',
        minItems: 1,
        description: 'In this order',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            type: { enum: ['text', 'number', 'date'] },
            keep: { type: 'boolean', default: true },
          },
          required: ['name'],
        },
      },
      limits: {
        type: 'object',
        properties: {
          rows: { type: 'integer', minimum: 1, maximum: 100000, default: 1000 },
          seconds: { type: 'number', exclusiveMinimum: 0, maximum: 30 },
        },
      },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      logo: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
      options: { description: 'Passed on as it is' },
    },
    required: ['source', 'columns'],
    additionalProperties: false,
  },
};
