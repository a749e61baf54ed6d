// mathjs.
import { evaluate, matrix, multiply, inv, det, derivative, simplify, unit, bignumber, complex, parse, format } from 'mathjs';
console.log(evaluate('sqrt(3^2 + 4^2) + sin(pi / 2)'), multiply(matrix([[1, 2], [3, 4]]), [1, 1]).toArray(), det([[1, 2], [3, 4]]), inv([[2, 0], [0, 4]]), derivative('x^2 + 3x', 'x').toString(), simplify('2x + x').toString());
console.log(unit('5 cm').to('inch').format(4), bignumber('0.1').plus('0.2').toString(), complex('2 + 3i').mul(complex(0, 1)).toString(), parse('a * (b + 1)').compile().evaluate({ a: 2, b: 3 }), format(1 / 3, { precision: 4 }));
