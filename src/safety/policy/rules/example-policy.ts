/**
 * The text of `policy.example.json`: a policy to begin with, one rule for most kinds of conditions. Written beside the policy, and as
 * the policy where there is none.
 */
export const EXAMPLE_POLICY = String.raw`{
  "version": 1,
  "default": "allow",
  "builtin": true,
  "rules": [
    {
      "id": "publish-asks",
      "severity": "high",
      "decision": "ask",
      "tool": "terminal",
      "when": {
        "argv.prefix": [
          {
            "argv": [["npm", "pnpm", "yarn"], "publish"]
          },
          {
            "argv": ["cargo", "publish"]
          },
          {
            "argv": ["terraform", ["apply", "destroy"]]
          }
        ]
      },
      "message": "This reaches others. Say what is published or applied, and wait for the answer.",
      "tests": {
        "hit": ["npm publish", "sudo terraform apply -auto-approve"],
        "miss": ["npm pack", "echo 'npm publish'", "terraform plan"]
      }
    },
    {
      "id": "production-files-ask",
      "severity": "high",
      "decision": "ask",
      "tool": ["write_file", "patch", "terminal"],
      "when": {
        "path.write": ["deploy/prod/**", "**/*.prod.yaml"]
      },
      "message": "These files go to production. Propose the change as text first.",
      "tests": {
        "hit": [
          {
            "tool": "write_file",
            "args": {
              "path": "deploy/prod/app.yaml",
              "content": "x"
            }
          }
        ],
        "miss": [
          {
            "tool": "write_file",
            "args": {
              "path": "deploy/test/app.yaml",
              "content": "x"
            }
          }
        ]
      }
    },
    {
      "id": "paste-sites",
      "severity": "high",
      "decision": "block",
      "when": {
        "url.host": ["pastebin.com", "*.pastebin.com", "transfer.sh", "0x0.st"]
      },
      "message": "Nothing is read from or sent to paste sites here.",
      "tests": {
        "hit": [
          {
            "tool": "web_extract",
            "args": {
              "url": "https://pastebin.com/raw/x"
            }
          }
        ],
        "miss": [
          {
            "tool": "web_extract",
            "args": {
              "url": "https://notpastebin.com/"
            }
          }
        ]
      }
    },
    {
      "id": "mcp-deletes-ask",
      "decision": "ask",
      "tool": ["mcp__*delete*", "mcp__*drop*"],
      "message": "Say what is removed, and wait for the answer.",
      "tests": {
        "hit": [
          {
            "tool": "mcp__db__delete_rows",
            "args": {
              "table": "users"
            }
          }
        ],
        "miss": [
          {
            "tool": "mcp__db__query",
            "args": {
              "sql": "select 1"
            }
          }
        ]
      }
    },
    {
      "id": "hook-skips",
      "severity": "medium",
      "decision": "ask",
      "tool": "terminal",
      "when": {
        "text.regex": "\\bgit\\b.*\\s--no-verify\\b"
      },
      "where": "code",
      "message": "Mend what the hook complains about instead of skipping it.",
      "tests": {
        "hit": ["git commit --no-verify -m x"],
        "miss": ["echo 'git commit --no-verify'"]
      }
    },
    {
      "id": "nights-do-not-push",
      "severity": "medium",
      "decision": "block",
      "tool": "terminal",
      "when": {
        "session.unattended": true,
        "argv.prefix": ["git", "push"]
      },
      "message": "Leave the commit in the branch; a person pushes it.",
      "tests": {
        "hit": [
          {
            "tool": "terminal",
            "args": {
              "command": "git push"
            },
            "unattended": true
          }
        ],
        "miss": ["git push"]
      }
    },
    {
      "id": "message-flood",
      "severity": "low",
      "decision": "ask",
      "tool": ["send_message", "mcp__*send*"],
      "when": {
        "rate": {
          "n": 20,
          "window": "10m"
        }
      },
      "message": "Many messages in a short time: sum them up in one."
    },
    {
      "id": "customers-stay-here",
      "severity": "high",
      "decision": "ask",
      "when": {
        "url.host": "*",
        "sequence": {
          "after": {
            "when": {
              "path.read": "data/customers/**"
            }
          },
          "within": 20
        }
      },
      "message": "Data of customers was read a moment ago. Say what goes out.",
      "tests": {
        "hit": [
          [
            {
              "tool": "read_file",
              "args": {
                "path": "data/customers/all.csv"
              }
            },
            {
              "tool": "web_extract",
              "args": {
                "url": "https://x.test/?q=1"
              }
            }
          ]
        ],
        "miss": [
          [
            {
              "tool": "read_file",
              "args": {
                "path": "data/test/all.csv"
              }
            },
            {
              "tool": "web_extract",
              "args": {
                "url": "https://x.test/?q=1"
              }
            }
          ]
        ]
      }
    }
  ]
}
`;
