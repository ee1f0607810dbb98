import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@earendil-works/pi-tui';
import type { ChatTheme } from './theme.ts';

export function selectTheme(theme: ChatTheme): SelectListTheme {
  return {
    selectedPrefix: theme.accent,
    selectedText: theme.accent,
    description: theme.dim,
    scrollInfo: theme.dim,
    noMatch: theme.dim,
  };
}

export function editorTheme(theme: ChatTheme): EditorTheme {
  return { borderColor: theme.dim, selectList: selectTheme(theme) };
}

export function markdownTheme(theme: ChatTheme): MarkdownTheme {
  const plain = (text: string): string => text;
  return {
    heading: theme.bold,
    link: theme.underline,
    linkUrl: theme.dim,
    code: theme.accent,
    codeBlock: plain,
    codeBlockBorder: theme.dim,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.dim,
    underline: theme.underline,
  };
}
