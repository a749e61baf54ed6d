// semver.
import semver from 'semver';
console.log(semver.satisfies('1.2.3', '^1.0.0 || >2'), semver.sort(['2.0.0', '1.10.0', '1.9.0-rc.1']), semver.inc('1.2.3', 'minor'), semver.coerce('v2.1').version, semver.maxSatisfying(['1.0.0', '1.5.0', '2.0.0'], '1.x'), semver.diff('1.0.0', '2.0.0'), semver.valid('x'), semver.minVersion('>=1.2 <2').version, semver.intersects('^1', '>=1.5'));
