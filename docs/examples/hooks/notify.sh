#!/bin/sh
# pre_approval_request: a notification on the desktop when Herma waits for an answer.
text=$(jq -r '.extra | "\(.description): \(.command)"')
notify-send -- 'Herma asks' "$text" || osascript -e 'on run argv' \
  -e 'display notification (item 1 of argv) with title "Herma asks"' -e 'end run' "$text"
