import { EXIT } from '../exit-code.ts';
import { startProgress } from '../output/progress.ts';
import { acts } from '../tour/acts.ts';
import { type ActAudience, playTour } from '../tour/play-tour.ts';
import type { Verb, VerbContext } from '../verb.ts';

const THE_MODEL_IS_A_SCRIPT =
  'The model is a script. The gate, the tools, the files and the processes are real.';

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
      context.print(THE_MODEL_IS_A_SCRIPT);
    }
    const played = await playTour(acts, context, json ? progressOnly(context) : narrator(context));
    const held = played.filter((act) => act.held).length;
    const seconds = Math.round((clock.monotonicMs() - startedAt) / 100) / 10;
    if (json) context.printJson({ model: 'script', acts: played, held, seconds });
    else {
      const count = `${String(held)} of ${String(played.length)} acts held`;
      context.print(`\n${count}, in ${seconds.toFixed(1)} s. Nothing is left behind.`);
    }
    return held === played.length ? EXIT.done : EXIT.no;
  },
};

/** Prints each act: its title, and what was seen. */
function narrator(context: VerbContext): ActAudience {
  const { colours } = context;
  const moving = progressOnly(context);
  return (title, number) => {
    context.print(`\n${colours.strong(`${String(number)}. ${title}`)}`);
    const stop = moving(title, number);
    return (report) => {
      stop(report);
      if (report === undefined) return;
      const mark = report.held ? colours.good('✓') : colours.bad('✗');
      for (const [index, line] of report.lines.entries())
        context.print(`  ${index === 0 ? mark : ' '} ${line}`);
    };
  };
}

function progressOnly({ stderr, clock }: VerbContext): ActAudience {
  return (title, number) => {
    const progress = startProgress(stderr, clock, `playing act ${String(number)}: ${title}`);
    return () => progress.stop();
  };
}
