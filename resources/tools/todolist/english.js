/** What todolist says of itself, in English: text by text. */
export const english = ({ lists, items, title, note }) => ({
  '待办清单：多个清单，带日期、优先级和标签，可查询过期和今天的事项。数据保存在本机，离线可用。':
    "To-do lists: several of them, with dates, priorities and tags; asks for what is overdue or due today. Kept on this machine, works offline.",
  待办: 'to-do',
  清单: 'lists',
  效率: 'productivity',
  内置: 'built-in',
  '记下要做的事，设置日期、优先级和标签': 'Note what is to be done, with dates, priorities and tags',
  '完成、恢复、修改、排序和删除待办': 'Complete, reopen, change, sort and delete items',
  '查询过期、今天、本周或包含某些文字的待办': 'Find what is overdue, due today or this week, or has certain words',
  用多个清单区分不同的项目: 'Keep projects apart in lists of their own',
  [`最多 ${lists} 个清单、${items} 项待办`]: `At most ${lists} lists and ${items} items`,
  [`标题最多 ${title} 个字符，备注最多 ${note} 个字符`]: `A title has at most ${title} characters, a note at most ${note}`,
  '日期按本机时区；没有提醒，也不与其他设备同步':
    "Dates are in this machine's time zone; there are no reminders and nothing is synced with other devices",

  要做的操作: 'What to do',
  待办的编号: 'Number of the item',
  '清单的编号或名称；add 不填则用第一个清单': 'Number or name of the list; add uses the first list without it',
  'create_list、rename_list 的清单名称': 'Name of the list for create_list and rename_list',
  待办的标题: 'Title of the item',
  备注: 'Note',
  '日期，例如 2025-12-31 或 2025-12-31T18:00；空字符串表示去掉日期':
    'Date, such as 2025-12-31 or 2025-12-31T18:00; an empty text takes it away',
  优先级: 'Priority',
  标签: 'Tags',
  'reorder 的新位置，从 1 开始': 'New position for reorder, from 1',
  'query 的条件，默认 open': 'What query selects, open by default',
  'query 的排序，默认 manual（手动顺序）': 'Order of query, manual by default',
  'query 要包含的文字，空格分开的每个词都要出现': 'Text that query wants: every word of it must be there',
  'query 要有的标签': 'A tag that query wants',
  'query 最多多少项，默认 100': 'At most so many items of query, 100 by default',
  'delete_list 是否连同其中的待办一起删除': 'Whether delete_list deletes the items with the list',

  没有这项待办: 'There is no such item',
  '用 query 查看现有待办的编号。': 'See the numbers of the items with query.',
  没有这个清单: 'There is no such list',
  '用 lists 查看现有清单，或用 create_list 建立。': 'See the lists with lists, or make one with create_list.',
  已有同名清单: 'A list has that name already',
  '换一个名称，或直接使用已有的清单。': 'Use another name, or the list that is there.',
  清单里还有待办: 'There are items in the list',
  '先移走或删除其中的待办，确认全部删除时加 force: true。':
    'Move or delete them first; add force: true if all of them shall be deleted.',
  日期无效: 'The date is not valid',
  '写成 2025-12-31 或 2025-12-31T18:00。': 'Write it as 2025-12-31 or 2025-12-31T18:00.',
  参数缺少或无效: 'A parameter is missing or not valid',
  '按参数说明补上或修正。': 'Add or correct it as the parameters say.',
  数量已到上限: 'There are as many as there may be',
  '用 clear_done 清理已完成的待办，或删除不用的清单。': 'Remove what is done with clear_done, or delete lists that are not used.',
  保存的数据无法使用: 'What was saved cannot be used',
  '从备份恢复工具目录下的 data/storage.json，或更新程序。':
    "Restore data/storage.json in the tool's folder from a backup, or update the program.",
});
