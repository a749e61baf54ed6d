// tiktoken: a large module of wasm-bindgen.
import { encoding_for_model, get_encoding } from 'tiktoken';
const encoding = get_encoding('cl100k_base');
for (const text of ['hello world', '中文字符和 emoji 🦀', 'function f(x) {\n\treturn x ** 2;\n}', '']) {
  const tokens = encoding.encode(text);
  console.log([...tokens], new TextDecoder().decode(encoding.decode(tokens)) === text);
}
console.log([...encoding.encode('<|endoftext|>', 'all')], encoding.n_vocab, encoding.name);
try {
  encoding.encode('<|endoftext|>');
} catch (error) {
  console.log(String(error.message ?? error));
}
encoding.free();
const other = encoding_for_model('gpt-4o');
console.log(other.encode('The quick brown fox '.repeat(50)).length, other.encode_ordinary('a b').length);
other.free();
