// minimatch.
import { braceExpand, minimatch, Minimatch } from 'minimatch';
console.log(minimatch('a/b/c.js', '**/*.js'), minimatch('x.ts', '*.{js,ts}'), minimatch('.x', '*'), minimatch('a', '!b'), minimatch.filter('*.md')('r.md'), new Minimatch('a/*/c').match('a/b/c'), braceExpand('{a..c}{1,2}'));
