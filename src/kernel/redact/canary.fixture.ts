import type { JsonValue } from '../json/index.ts';

/** The twelve secrets of case LG05 of the field reports, each in the tool arguments it was found in. */
export const CANARY_ARGUMENTS: readonly { readonly secrets: readonly string[]; readonly args: JsonValue }[] =
  [
    {
      secrets: ['CANARY7f3a-1'],
      args: { command: "curl -H 'Authorization: Bearer sk-CANARY7f3a-1' https://api.one.test" },
    },
    { secrets: ['CANARY7f3a-2'], args: { command: 'export OPENAI_API_KEY=sk-CANARY7f3a-2 && run' } },
    { secrets: ['CANARY7f3a-3'], args: { command: 'mysql -uroot -ppassCANARY7f3a-3 db' } },
    {
      secrets: ['CANARY7f3a-4'],
      args: { command: 'git clone https://oauth2:glpat-CANARY7f3a-4@git.one.test/x.git' },
    },
    { secrets: ['CANARY7f3a-5'], args: { command: 'tool set telegram.token=123456:AACANARY7f3a-5' } },
    {
      secrets: ['CANARY7f3a-6', 'CANARY7f3a-7', 'CANARY7f3a-8'],
      args: {
        headers: { Authorization: 'Basic dXNlcjpwYXNzCANARY7f3a-6', Cookie: 'sid=CANARY7f3a-7' },
        url: 'https://x.test/?api_key=CANARY7f3a-8',
      },
    },
    {
      secrets: ['CANARY7f3a-9', 'CANARY7f3a-10'],
      args: {
        body: {
          auth: [{ private_key: '-----BEGIN PRIVATE KEY-----\nMIICANARY7f3a-9\n-----END PRIVATE KEY-----' }],
          note: 'rotating password=hunter2-CANARY7f3a-10 today',
        },
      },
    },
    {
      secrets: ['CANARY7f3a-11'],
      args: { path: '.env', content: 'A=1\nAWS_SECRET_ACCESS_KEY=CANARY7f3a-11\n' },
    },
    {
      secrets: ['CANARY7f3a-12'],
      args: { command: `${'x'.repeat(3990)} ghp_CANARY7f3a-12aaaaaaaaaaaaaaaaaaaaaaaaaaaaa` },
    },
  ];
