// promptx-mem: hooks for OpenCode, written by `promptx-mem setup opencode`; `setup --remove opencode` removes them.
import { spawn } from "node:child_process"
import { homedir } from "node:os"

const TURNS = false
const PROGRAMS = ["PROGRAM", "promptx-mem", `${homedir()}/.local/bin/promptx-mem`]

// Send one event, and return the answer; nothing if the program is missing, fails or takes too long.
const once = (program, words, event, seconds) =>
  new Promise((resolve) => {
    const child = spawn(program, [...words, "opencode"], { cwd: event.cwd, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), seconds * 1000)
    let out = ""
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (out += data))
    child.on("error", () => resolve(null))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(out ? JSON.parse(out) : {})
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(event))
  })

const answer = async (words, event, seconds) => {
  for (const program of PROGRAMS) {
    const answered = await once(program, words, event, seconds)
    if (answered !== null) return answered.hookSpecificOutput ?? {}
  }
  return {}
}

export const PromptxMem = async ({ client, directory }) => {
  const started = new Set()
  const parents = new Map()
  // The messages of a child session come from the agent of its parent session, and not from the user.
  const parent = async (id) => {
    if (!parents.has(id)) {
      const found = await client?.session?.get({ path: { id } }).catch(() => null)
      parents.set(id, found?.data?.parentID ?? "")
    }
    return parents.get(id)
  }
  const event = (name, session, more) => ({ hook_event_name: name, session_id: session, cwd: directory, ...more })
  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const added = []
      const agent = (await parent(sessionID)) ? { agent_id: sessionID } : {}
      if (!started.has(sessionID)) {
        started.add(sessionID)
        added.push(await answer(["hook", "start"], event("SessionStart", sessionID, { source: "startup", ...agent }), 10))
      }
      // `opencode run` puts the message into quotes.
      const prompt = typed.map((part) => part.text.replace(/^"([^"]*)"$/, "$1")).join("\n")
      added.push(await answer(["hook", "prompt"], event("UserPromptSubmit", sessionID, { prompt, ...agent }), 10))
      for (const { additionalContext } of added)
        if (additionalContext)
          parts.push({
            id: `prt_promptxmem${Date.now().toString(36)}${parts.length}`,
            sessionID,
            messageID: message.id,
            type: "text",
            text: additionalContext,
            synthetic: true,
          })
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const call = event("PreToolUse", sessionID, { tool_name: tool, tool_input: args ?? {}, tool_use_id: callID })
      const answered = await answer(["guard"], call, 5)
      if (answered.permissionDecision === "deny") throw new Error(answered.permissionDecisionReason)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const failed = output.metadata?.exit ? { exit: output.metadata.exit, output: String(output.output).slice(-4000) } : {}
      const called = { tool_name: tool, tool_input: args ?? {}, tool_use_id: callID, tool_response: failed }
      const call = event("PostToolUse", sessionID, called)
      const { additionalContext } = await answer(["guard"], call, 5)
      if (additionalContext && typeof output.output === "string") output.output += `\n\n${additionalContext}`
    },
    "shell.env": async ({ sessionID }, { env }) => {
      if (sessionID && !process.env.PROMPTX_MEM_SESSION) env.PROMPTX_MEM_SESSION = sessionID
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await answer(["hook", "compact"], event("PreCompact", sessionID, { trigger: "auto" }), 10)
    },
    event: async ({ event: { type, properties } }) => {
      if (type === "session.created" && properties.info) parents.set(properties.info.id, properties.info.parentID ?? "")
      if (TURNS && type === "session.idle") await answer(["hook", "stop"], event("Stop", properties.sessionID, {}), 10)
    },
  }
}
