/** Editing one variable: the draft, saving and resetting it, and a secret shown on demand. */

import { useQueryClient } from '@tanstack/vue-query';
import { computed, ref, shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { calls, type VariableRow } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useToasts } from '@/shared/composables';
import { invalidateTags, useChange, useTransport } from '@/shared/data/calls';
import { wordsOf } from '@/shared/errorWords';
import { dropVariableDraft, keepVariableDraft, variableDraft } from './variableDrafts';
import { changeOf, complaintOf, shownValue } from './variables';

export function useVariable(tool: () => string, row: () => VariableRow) {
  const { t, te } = useI18n();
  const transport = useTransport();
  const client = useQueryClient();
  const toasts = useToasts();
  const change = useChange('tool.configure');
  /** Outlives the field: it is still there after a look into another tab. */
  const draft = computed({
    get: () => variableDraft(tool(), row().name),
    set: (value) => {
      if (value === undefined) dropVariableDraft(tool(), row().name);
      else keepVariableDraft(tool(), row().name, value);
    },
  });
  /** Held here alone, and only while it is shown: the cache would keep it longer. */
  const secret = ref<string>();
  const secretError = shallowRef<CallError>();

  const still = computed(() => secret.value ?? shownValue(row()));
  const text = computed({
    get: () => draft.value ?? still.value,
    set: (value) => {
      draft.value = value;
      change.reset();
    },
  });
  const pending = computed(() => changeOf(row(), draft.value, still.value));
  const complaint = computed(() =>
    pending.value ? complaintOf(row().schema, text.value) : undefined,
  );

  function revert() {
    draft.value = undefined;
    change.reset();
  }

  /** Whether it is saved now. Why it is not stands in `error` or `complaint`. */
  async function save(): Promise<boolean> {
    if (!pending.value || complaint.value || change.isPending.value) return false;
    return apply(pending.value.values, pending.value.remove);
  }

  async function apply(values: Record<string, string>, remove: string[]): Promise<boolean> {
    const answer = await change
      .mutateAsync({ tool: tool(), values, remove })
      // Shown beside the field: it stays in `change.error`.
      .catch(() => undefined);
    if (!answer) return false;
    draft.value = undefined;
    secret.value = undefined;
    for (const warning of answer.warnings) toasts.show({ text: warning, tone: 'warn' });
    // A variable may hold the folders that the tool asks for.
    await invalidateTags(client, ['grants']);
    return true;
  }

  /** Takes the value out of `.env`; one that can be read is brought back by "undo". */
  async function reset(): Promise<void> {
    const { name, value, secret: hidden, declared, default: preset } = row();
    if (!(await apply({}, [name]))) return;
    const gone = declared && preset !== undefined ? 'wasReset' : 'wasRemoved';
    toasts.show({
      text: t(`tools.configure.${gone}`, { name }),
      ...(!hidden && { action: { label: t('common.undo'), run: () => void restore(name, value) } }),
    });
  }

  /** Past the component's life: the person may have gone to another tab meanwhile. */
  async function restore(name: string, value: string): Promise<void> {
    try {
      await transport.call('tool.configure', { tool: tool(), values: { [name]: value } });
      await invalidateTags(client, [...calls['tool.configure'].tags, 'grants']);
    } catch (failure) {
      const { message } = wordsOf(asCallError(failure, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  async function reveal(): Promise<void> {
    secretError.value = undefined;
    try {
      const answer = await transport.call('tool.secret', { tool: tool(), name: row().name });
      secret.value = answer.text;
    } catch (failure) {
      secretError.value = asCallError(failure, 'unknown');
    }
  }

  function hide() {
    secret.value = undefined;
  }

  const error = computed(() => change.error.value ?? secretError.value);
  return {
    text,
    secret,
    pending,
    complaint,
    error,
    saving: change.isPending,
    save,
    revert,
    reset,
    reveal,
    hide,
  };
}
