import { errnoOf } from '../../../platform/paths/index.ts';
import { ensureRawFolder } from '../../../platform/raw-files/index.ts';

/** How often a folder is made again that somebody removes because it is empty. */
const MAX_ATTEMPTS = 20;

/** Does what needs a folder, and makes the folder where it is missing. Throws what `work` does, but for that. */
export function inFolder(folder: string, work: () => void): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (attempt > 1) ensureRawFolder(folder);
      work();
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
