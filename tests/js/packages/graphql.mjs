// graphql: queries, failures, printing.
import { graphql, buildSchema, parse, print } from 'graphql';
const schema = buildSchema('type Query { hello(name: String!): String list: [Int!]! }');
console.log(
  JSON.stringify(await graphql({ schema, source: '{ hello(name: "A") list bad }' })),
  JSON.stringify(await graphql({ schema, source: '{ hello(name: "A") list }', rootValue: { hello: ({ name }) => `hi ${name}`, list: [1, 2] } })),
  print(parse('{a{b}}')),
);
