/** The categories of the OWASP Top 10 for Agentic Applications 2026, and `ASI11`, which is not one of them. */
export const AGENTIC_RISKS = {
  ASI01: 'Agent Goal Hijack',
  ASI02: 'Tool Misuse and Exploitation',
  ASI03: 'Identity and Privilege Abuse',
  ASI04: 'Agentic Supply Chain Vulnerabilities',
  ASI05: 'Unexpected Code Execution (RCE)',
  ASI06: 'Memory and Context Poisoning',
  ASI07: 'Insecure Inter-Agent Communication',
  ASI08: 'Cascading Failures',
  ASI09: 'Human-Agent Trust Exploitation',
  ASI10: 'Rogue Agents',
  ASI11: 'Excessive Agency (community extension, not OWASP)',
} as const;

export type AgenticRisk = keyof typeof AGENTIC_RISKS;

/** What is a category of the community, and none of OWASP's list. */
export const EXTENSION = 'ASI11' satisfies AgenticRisk;

/** Categories a journal of calls gives evidence of. */
export const COVERED = ['ASI02', 'ASI05', 'ASI08', 'ASI10'] as const satisfies readonly AgenticRisk[];

/** Categories about which it says too little for a score. */
export const NOT_COVERED = [
  'ASI01',
  'ASI03',
  'ASI04',
  'ASI06',
  'ASI07',
  'ASI09',
] as const satisfies readonly AgenticRisk[];
