/** The fake skills; what is changed stays so until the page is loaded again. */

import type {
  SkillClientChange,
  SkillCreate,
  SkillDetail,
  SkillFileRef,
  SkillList,
  SkillPlace,
  SkillQuery,
  SkillRef,
  SkillResolve,
  SkillSave,
  SkillSwitch,
  SkillVersion,
  SkillVersionRef,
  SkillWay,
} from '@/generated/calls';
import { isConflict } from '@/features/skills/standing';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

const IDS = ['agents', 'claude-code', 'cursor', 'gemini', 'copilot', 'windsurf', 'opencode'];

const PDF = `---
name: pdf-tools
description: Reads and fills PDF forms. Use it for files that end in .pdf.
license: MIT
---

# pdf-tools

## Steps

1. Look at the fields with \`scripts/fields.py\`.
2. Fill them, and **check the result** page by page.

| Field | Meaning |
| --- | --- |
| \`name\` | The person's name |
`;

export default function skills(scene: Scene): FakeHandlers {
  const now = Date.now();
  const library = new Map<string, SkillDetail>();
  const ways = new Map<string, SkillWay>(
    scene === 'empty'
      ? []
      : [
          ['claude-code', 'link'],
          ['cursor', 'copy'],
        ],
  );
  let removed: SkillVersion[] = [];

  const place = (skill: string, client: string, standing: SkillPlace['standing']): SkillPlace => ({
    client,
    path: `/home/ada/.${client}/skills/${skill}`,
    standing,
  });
  const put = (
    skill: string,
    description: string,
    more: Partial<SkillDetail> = {},
  ): SkillDetail => {
    const text =
      more.text ?? `---\nname: ${skill}\ndescription: ${description}\n---\n\n# ${skill}\n`;
    const problems = more.problems ?? [];
    const places = more.places ?? [...ways.keys()].map((client) => place(skill, client, 'linked'));
    const detail: SkillDetail = {
      folder: `~/.prompt-manager/skills/${skill}`,
      version: `${text.length}`.padStart(16, '0'),
      fields: [],
      files: [{ path: 'SKILL.md', bytes: text.length, executable: false }],
      ...more,
      text,
      problems,
      places,
      row: {
        skill,
        description,
        enabled: more.row?.enabled ?? true,
        files: more.files?.length ?? 1,
        bytes: 2048,
        modified: now,
        problems: problems.length,
        conflicts: places.filter((one) => isConflict(one) && one.standing !== 'left').length,
      },
    };
    library.set(skill, detail);
    return detail;
  };
  if (scene !== 'empty') {
    put('pdf-tools', 'Reads and fills PDF forms. Use it for files that end in .pdf.', {
      text: PDF,
      fields: [{ field: 'license', value: 'MIT' }],
      files: [
        { path: 'SKILL.md', bytes: 412, executable: false },
        { path: 'references/forms.md', bytes: 9120, executable: false },
        { path: 'scripts/fields.py', bytes: 1830, executable: true },
      ],
      places: [place('pdf-tools', 'claude-code', 'linked'), place('pdf-tools', 'cursor', 'theirs')],
    });
    put('release-notes', 'Writes release notes from a list of commits.');
    put('Old_Notes', '', {
      problems: [
        {
          line: 2,
          problem: {
            code: 'skill_name_improper',
            message: "'Old_Notes' is no name of the specification",
            hint: 'Use 1 to 64 lower-case letters, digits and hyphens.',
            args: {},
          },
        },
      ],
    });
  }
  if (scene === 'many') {
    for (let n = 0; n < 500; n += 1) put(`skill-${n}`, `About ${n}`);
  }

  const found = (skill: string) => {
    const detail = library.get(skill);
    if (!detail) {
      throw new CallError({
        code: 'skill_not_found',
        message: `There is no skill '${skill}'`,
        args: { name: skill },
      });
    }
    return detail;
  };
  const clients = () => ({
    clients: IDS.map((client) => ({
      client,
      folder: `/home/ada/.${client}/skills`,
      way: ways.get(client) ?? 'off',
      installed: client !== 'windsurf',
      skills: ways.has(client) ? library.size : 0,
      conflicts: [...library.values()].filter(({ places }) =>
        places.some((one) => one.client === client && one.standing === 'theirs'),
      ).length,
    })),
  });
  return {
    'skill.list': ({ words = '' }: SkillQuery): SkillList => ({
      skills: [...library.values()]
        .map(({ row }) => row)
        .filter(({ skill, description }) =>
          `${skill} ${description}`.toLowerCase().includes(words.toLowerCase()),
        )
        .sort((a, b) => a.skill.localeCompare(b.skill)),
      all: library.size,
    }),
    'skill.show': ({ skill }: SkillRef) => found(skill),
    'skill.file': ({ skill, path }: SkillFileRef) => ({
      path,
      size: 412,
      modified: now,
      text: path === 'SKILL.md' ? found(skill).text : 'import sys\n\nprint(sys.argv)\n',
      truncated: false,
      masked: false,
    }),
    'skill.create': ({ skill, description }: SkillCreate) => {
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(skill)) {
        throw new CallError({
          code: 'skill_name_invalid',
          message: `'${skill}' cannot be the name of a skill`,
          args: { name: skill },
        });
      }
      return put(skill, description);
    },
    'skill.save': ({ skill, text, expected }: SkillSave) => {
      const { row, version, files, fields, places } = found(skill);
      if (expected !== undefined && expected !== version) {
        throw new CallError({ code: 'skill_changed', message: 'It has changed', args: {} });
      }
      return put(skill, row.description, { text, files, fields, places });
    },
    'skill.switch': ({ skill, enabled }: SkillSwitch) => {
      found(skill).row.enabled = enabled;
      return {};
    },
    'skill.remove': ({ skill }: SkillRef) => {
      found(skill);
      library.delete(skill);
      const version: SkillVersion = {
        skill,
        version: `${now}-removed`,
        kind: 'folder',
        was: 'removed',
        replaced: now,
      };
      removed = [version, ...removed];
      return version;
    },
    'skill.versions': ({ skill }: SkillRef) => ({
      versions:
        skill === 'pdf-tools'
          ? [
              { skill, version: 'a'.repeat(16), kind: 'text', replaced: now - 60_000 },
              {
                skill,
                version: `${now}-cursor`,
                kind: 'folder',
                was: 'cursor',
                replaced: now - 86_400_000,
              },
            ]
          : [],
    }),
    'skill.removed': () => ({ versions: removed }),
    'skill.diff': () => ({
      text: '--- a\n+++ SKILL.md\n@@ -2,2 +2,2 @@\n name: pdf-tools\n-description: Reads PDF.\n+description: Reads and fills PDF forms.\n',
    }),
    'skill.restore': ({ skill }: SkillVersionRef) => {
      removed = removed.filter((version) => version.skill !== skill);
      return library.get(skill) ?? put(skill, 'again');
    },
    'skill.import': () => ({ skills: [{ source: '/home/ada/x', skill: 'x', same: false }] }),
    'skill.clients': clients,
    'skill.client': ({ client, way }: SkillClientChange) => {
      if (way === 'off') ways.delete(client);
      else ways.set(client, way);
      return clients();
    },
    'skill.sync': () => ({ places: [] }),
    'skill.compare': () => ({
      files: [
        {
          path: 'SKILL.md',
          side: 'both',
          diff: '--- SKILL.md\n+++ SKILL.md\n@@ -7,3 +7,3 @@\n ## Steps\n \n-1. Look at the fields with `scripts/fields.py`.\n+1. Look at the fields yourself.\n',
        },
        {
          path: 'notes.md',
          side: 'theirs',
          diff: '--- notes.md\n+++ notes.md\n@@ -0,0 +1 @@\n+Ask first.\n',
        },
      ],
    }),
    'skill.resolve': ({ skill, client, take }: SkillResolve) => {
      const detail = found(skill);
      const standing = take === 'leave' ? 'left' : 'copied';
      const places = detail.places.map((one) =>
        one.client === client ? { ...one, standing } : one,
      );
      return put(skill, detail.row.description, { ...detail, places: places as SkillPlace[] });
    },
  };
}
