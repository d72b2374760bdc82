package e2e_test

import (
	"strings"
	"testing"
)

// Control sequences in text from a model, a tool or a file are shown as text. All such texts contain payload, so that a test
// sees that they were shown.

const payload = "PAYLOAD7"

// hostile is text with harmful control sequences and characters.
var hostile = strings.Join([]string{
	payload,
	"clipboard \x1b]52;c;UFdORUQ=\x07 and \x1b]52;c;UFdORUQ=\x1b\\ and \u009d52;c;UFdORUQ=\u009c",
	"link \x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\",
	"title \x1b]0;PWNED\x07 and \x1b]2;PWNED\x07",
	"clear \x1b[2J\x1b[H\x1b[3J and \u009b2J and reset \x1bc\x1b[!p",
	"modes \x1b[?1049l\x1b[?25l\x1b[?1000h\x1b[?2004l\x1b[4h and report \x1b[6n\x1b[c\x1b[21t",
	"strings \x1bP+q544e\x1b\\ \x1b_apc\x1b\\ \x1b^pm\x1b\\ \x1bXsos\x1b\\ \u0090q\u009c",
	"colour \x1b[31;5mred, shift \x0e\x0f, bell \x07\x07, back \b\b\b\b, return safe\rEVIL",
	"order \u202eelif.exe\u202c \u2066isolated\u2069 \u200fmark, invisible \u200b\u2060\ufeff\U000e0041",
	"marks " + strings.Repeat("\u0301", 300) + " tab\there \u2028line \u2029paragraph",
	"wide 漢字漢字 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \u0915\u094d\u0937",
	"[6n is harmless, ]52;c; too, and the end " + payload,
}, "\n")

// hostileBytes is text that JSON cannot contain: invalid UTF-8.
const hostileBytes = "bytes \xff\xfe \xc3( \x9b2J \x9d52;c;UFdORUQ=\x9c \xed\xa0\x80 \xf5\x80\x80\x80 end\n"

// checkUnharmed checks the output after an offset, the screen and the log file for harmful sequences.
func (p *sandbox) checkUnharmed(term *terminal, from int) {
	p.t.Helper()
	for _, what := range unexpectedSequences(term.written()[from:]) {
		p.t.Errorf("the terminal received %s", what)
	}
	if why := term.shown().frameFault(); why != "" {
		p.t.Errorf("%s:\n%s", why, term.shown().text)
	}
	if log := p.logs(); strings.Contains(log, payload) || strings.ContainsAny(log, "\x1b\x00\x07") {
		p.t.Errorf("the log holds text of the conversation:\n%q", log)
	}
}

// overProtocolsAndSizes runs a test over each protocol: chat completions on a usual screen, the Messages API on a narrow one.
func overProtocolsAndSizes(t *testing.T, test func(t *testing.T, s size, proto protocol)) {
	forEachProtocol(t, func(t *testing.T, proto protocol) {
		test(t, map[protocol]size{chat: defaultSize, messages: narrow}[proto], proto)
	})
}

var narrow = size{40, 14}

// permissiveFlags make the program log everything and ask for no approval.
func (s *server) permissiveFlags() []string {
	return s.flags("--cfg", "log.level=debug", "--cfg", "permissions.mode=yolo")
}

func TestHostileTextFromAModelIsMadeSafe(t *testing.T) {
	overProtocolsAndSizes(t, func(t *testing.T, size size, proto protocol) {
		p := newSandbox(t, nil)
		s := newServerOf(t, proto, func(w *wire) {
			for _, piece := range strings.SplitAfter(hostile, ";") { // sequences come in pieces
				w.reasoning(piece)
			}
			for _, piece := range strings.SplitAfter(hostile, "\x1b") {
				w.text(piece)
			}
			w.rawText(strings.TrimSuffix(hostileBytes, "\n"))
			w.text("\n\n```\n" + hostile + "\n```\n\n| a | b |\n|---|---|\n| " + strings.ReplaceAll(hostile, "\n", " | x |\n| ") + " | y |\n\nThe end.")
			w.end("stop", 0, 0)
		}, errorReply(400, nil, `{"error":{"message":"refused \u001b]52;c;UFdORUQ=\u0007\u001b[2J\u009b2J \u202e`+payload+`"}}`),
			textReply("Still here."))
		term := p.start(size, s.permissiveFlags()...)
		term.awaitIdle("Talking to")
		from := term.startupLen()
		term.sendMessage("do your worst")
		term.awaitIdle("The end.")
		term.press("ctrl+o")
		for range 80 {
			term.press("pgup")
		}
		term.wait("beginning", func(s screen) bool { return s.has("do your worst") && s.has(payload) && s.frameFault() == "" })
		p.checkUnharmed(term, from)
		term.press("end")
		term.awaitIdle("The end.")
		term.sendMessage("and an error")
		term.awaitIdle("Request refused (400)", payload)
		term.checkContinues()
		p.checkUnharmed(term, from)
	})
}

func TestHostileTextFromToolsIsMadeSafe(t *testing.T) {
	overProtocolsAndSizes(t, func(t *testing.T, size size, proto protocol) {
		p := newSandbox(t, map[string]string{"evil.txt": hostile + "\n" + hostileBytes, "evil.bin": hostile + "\x00" + hostileBytes})
		s := newServerOf(t, proto, func(w *wire) {
			w.call(0, "c1", "read_file", object{"path": "evil.txt"})
			w.call(1, "c2", "read_file", object{"path": hostile})
			w.call(2, "c3\x1b[2J", "no\x1b]52;c;UFdORUQ=\x07such", object{"path\x1b[2J": hostile})
			w.call(3, "c4", "run_command", object{"command": "cat evil.bin; printf '\\033]0;PWNED\\007'; echo '" + "\x1b[2J" + "' >&2"})
			w.call(4, "c5", "modify_file", object{"path": "evil.txt", "old": payload + "\nclipboard", "new": payload + " \x1b[2J\nclipboard"})
			w.end("tool_calls", 0, 0)
		}, textReply("The end."), textReply("Still here."))
		term := p.start(size, s.permissiveFlags()...)
		term.awaitIdle("Talking to")
		from := term.startupLen()
		term.sendMessage("do your worst")
		term.awaitIdle("The end.")
		p.checkUnharmed(term, from)
		term.press("ctrl+o")
		for range 80 {
			term.press("pgup")
		}
		term.wait("beginning, after the results", func(s screen) bool {
			return s.has("do your worst") && strings.Contains(term.written()[from:], payload) && s.frameFault() == ""
		})
		term.press("end")
		term.checkContinues()
		p.checkUnharmed(term, from)
	})
}

func TestHostileCommandIsShownBeforeItRuns(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, callReply("c1", "run_command", object{"command": "echo harmless \x1b[2J\x1b]52;c;UFdORUQ=\x07 \u202e #\r\n" + hostile}), textReply("Still here."))
	term := p.startChat(size{100, 45}, s)
	from := term.startupLen()
	term.sendMessage("do your worst")
	term.awaitQuestion("Allow this?", "echo harmless ␛[2J␛]52;c;UFdORUQ=␇ «U+202E» #")
	p.checkUnharmed(term, from)
	term.press("esc")
	term.awaitIdle("Still here.")
	p.checkUnharmed(term, from)
}

func TestHostileMentionedFilesAreMadeSafe(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"evil.txt": hostile + "\n" + hostileBytes, "evil\x1b[2J\u202e\n\x9b.md": "named badly"})
	s := newServer(t, textReply("Still here."), textReply("Still here."))
	term := p.start(narrow, s.permissiveFlags()...)
	term.awaitIdle("Talking to")
	from := term.startupLen()
	term.typeText("@evil")
	term.wait("two files", func(s screen) bool { return strings.Count(s.text, "evil") >= 3 })
	p.checkUnharmed(term, from)
	term.typeText(".txt")
	term.awaitText("│ @evil.txt")
	term.press("tab", "enter")
	term.awaitIdle("Still here.")
	if sent := s.request(0); !strings.Contains(sent, payload) {
		t.Errorf("the file is not part of the message: %s", sent)
	}
	term.press("ctrl+o") // unfolds the file
	for range 9 {
		term.press("pgup")
	}
	term.wait("message", func(s screen) bool { return s.has("▌ @evil.txt", payload) && s.frameFault() == "" })
	p.checkUnharmed(term, from)
	term.press("end")
	term.checkContinues()
	p.checkUnharmed(term, from)
}

func TestPastedTitleIsMadeSafe(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("Still here."), textReply("Still here."))
	term := p.start(defaultSize, s.permissiveFlags()...)
	term.awaitIdle("Talking to")
	from := term.startupLen()
	first := strings.Split(hostile, "\n")
	term.paste(payload + " \u202e \u009b2J \u0007 " + first[len(first)-2] + "\n" + strings.Join(first[len(first)-3:], "\n"))
	term.awaitText("│ " + payload)
	p.checkUnharmed(term, from)
	term.press("enter")
	term.awaitIdle("▌ "+payload, "Still here.", "plimsoll   "+payload)
	p.checkUnharmed(term, from)
	term.press("ctrl+d")
	term.awaitExit()
	term = p.start(defaultSize, s.flags("-r")...)
	term.awaitText(payload, "Continue")
	term.press("enter")
	term.awaitIdle("▌ "+payload, "Still here.")
}

func TestVeryLongLinesAreShown(t *testing.T) {
	t.Parallel()
	const length = 1 << 17 // more than any buffer for lines holds
	long := strings.Repeat("wide漢 ", length/8)
	p := newSandbox(t, map[string]string{"long.txt": strings.Repeat("x", length)})
	s := newServer(t, func(w *wire) {
		w.text(payload, " ")
		w.text(long[:len(long)/2], long[len(long)/2:])
		w.text(strings.Repeat("y", length), "\n\n")
		w.call(0, "c1", "read_file", object{"path": "long.txt"})
		w.call(1, "c2", "run_command", object{"command": "cat long.txt; echo; cat long.txt >&2"})
		w.end("tool_calls", 0, 0)
	}, textReply("The end."), textReply("Read."), textReply("Still here."))
	term := p.start(defaultSize, append(s.permissiveFlags(), "--window", "1000000")...) // it has to hold the lines
	term.awaitIdle("Talking to")
	from := term.startupLen()
	term.sendMessage("do your worst")
	term.awaitIdle("The end.", "▎ $ ")
	p.checkUnharmed(term, from)
	term.typeText("@long.txt")
	term.awaitText("│ @long.txt", "❯ ")
	term.press("tab")
	term.wait("closed list", func(s screen) bool { return !s.has("❯ ") })
	term.press("enter")
	term.awaitIdle("▌ @long.txt", "Read.")
	p.checkUnharmed(term, from)
	term.checkContinues()
}
