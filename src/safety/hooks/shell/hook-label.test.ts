import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hookLabel } from './hook-label.ts';

describe('the name of a hook in messages', () => {
  it.each([
    ['/opt/hooks/guard.sh --strict', 'guard.sh'],
    ['python3 -u "~/My Hooks/block env.py"', 'block env.py'],
    ['node /opt/run', 'run'],
    ['jq .', 'jq'],
    ["unclosed '/opt/g.sh", 'g.sh'],
    ['', 'hook'],
    ['API_TOKEN=s3cret.sh', 'hook'],
    ['curl -H --token=s3cret.sh https://user:pass@example.test/s3cret.sh', 'curl'],
    ['env API_TOKEN=s3cret /opt/guard', 'guard'],
  ])('%s is %s and a digest', (command, name) => {
    const digest = createHash('sha256').update(command).digest('hex').slice(0, 8);
    expect(hookLabel(command)).toBe(`${name}#${digest}`);
  });
});
