import { EXIT } from '../exit-code.ts';
import { acts } from '../tour/acts.ts';
import { playTour } from '../tour/play-tour.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'tour',
  summary: 'watch a guarded session, without a key and without a network',
  details:
    'The model is a script: it says the same every time. Everything else is real: the gate, the tools, the files, the processes. It plays in a scratch folder that is removed. Exit code 1 when an act did not hold.',
  example: 'herma tour',
  run: async (context) => {
    const { colours, clock, json } = context;
    const startedAt = clock.monotonicMs();
    if (!json) {
      context.print(colours.strong('Herma: a guarded session'));
      context.print('The model is a script. The gate, the tools, the files and the processes are real.');
    }
    const played = await playTour(
      acts,
      context,
      (title, number) => {
        if (!json) context.print(`\n${colours.strong(`${String(number)}. ${title}`)}`);
      },
      ({ lines, held }) => {
        if (json) return;
        for (const [index, line] of lines.entries()) {
          const mark = index > 0 ? ' ' : held ? colours.good('✓') : colours.bad('✗');
          context.print(`  ${mark} ${line}`);
        }
      },
    );
    const held = played.filter((act) => act.held).length;
    const seconds = (clock.monotonicMs() - startedAt) / 1000;
    if (json) context.printJson({ acts: played, held, seconds: Math.round(seconds * 10) / 10 });
    else context.print(`\n${String(held)} of ${String(played.length)} acts held, in ${seconds.toFixed(1)} s. Nothing is left behind.`);
    return held === played.length ? EXIT.done : EXIT.no;
  },
};
