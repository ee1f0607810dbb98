import type { ConsentCheck } from './consent-check.ts';

/** One line of `herma hooks doctor`. */
export interface ConsentLine {
  readonly mark: '✓' | '✗' | '⚠' | 'ℹ';
  readonly text: string;
}

/** What `herma hooks doctor` says about consent, in order. */
export function describeConsent(check: ConsentCheck): readonly ConsentLine[] {
  return [...mainLines(check), ...check.notes.map((text): ConsentLine => ({ mark: 'ℹ', text }))];
}

/** The status of a hook in `herma hooks list`, a few words. */
export function consentStatus({ state }: Pick<ConsentCheck, 'state'>): string {
  switch (state) {
    case 'approved':
      return '✓ allowed';
    case 'not_content_bound':
      return '✓ allowed, not content-bound';
    case 'not_allowlisted':
      return '✗ not allowlisted';
    case 'drifted':
      return '⚠ modified since approval';
    case 'script_missing':
      return '✗ script not found';
    default:
      return state satisfies never;
  }
}

/** Why a hook may not run, for the model: continues "the hook …", and names neither its command nor a path. */
export function refusalForModel({
  state,
  mayRun,
}: Pick<ConsentCheck, 'state' | 'mayRun'>): string | undefined {
  if (mayRun) return undefined;
  switch (state) {
    case 'drifted':
      return 'was modified since it was approved';
    case 'script_missing':
      return 'has no script: it, or what runs it, was not found';
    case 'approved':
    case 'not_content_bound':
    case 'not_allowlisted':
      return 'is not approved';
    default:
      return state satisfies never;
  }
}

function mainLines(check: ConsentCheck): readonly ConsentLine[] {
  const allowlisted: ConsentLine = { mark: '✓', text: `allowlisted (${approvedAt(check)})` };
  switch (check.state) {
    case 'approved':
      return check.record?.content.type === 'bound'
        ? [allowlisted, { mark: '✓', text: 'script unchanged since approval' }]
        : [allowlisted];
    case 'not_content_bound':
      return [
        allowlisted,
        {
          mark: 'ℹ',
          text: 'not content-bound: a changed script would run; `herma hooks approve` it to bind it',
        },
      ];
    case 'not_allowlisted':
      return [
        { mark: '✗', text: 'not allowlisted — hook will NOT fire at runtime' },
        ...(check.reason === NOBODY_APPROVED ? [] : [{ mark: '✗', text: check.reason } as const]),
      ];
    case 'drifted':
      return [{ mark: '⚠', text: driftText(check) }];
    case 'script_missing':
      return [{ mark: '✗', text: `${check.reason} — hook will NOT fire at runtime` }];
    default:
      return check.state satisfies never;
  }
}

export const NOBODY_APPROVED = 'nobody has approved it';

function approvedAt({ record }: ConsentCheck): string {
  return record?.approvedAt === undefined ? 'no time recorded' : `approved ${record.approvedAt}`;
}

function driftText({ drift, reason }: ConsentCheck): string {
  const next = 'review changes, then `herma hooks approve` it again';
  if (drift === undefined) return `${reason} — hook will NOT fire at runtime; ${next}`;
  return `${drift.what} modified since approval (was ${drift.was}, now ${drift.now}) — ${next}`;
}
