package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plimsoll/config"
)

func TestProblemsShowLineTextAndHint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		line       int
		want       []string // in the whole text
	}{
		{"unknown key", "model: x\ncompaction:\n  triger_ratio: 0.9\n", 3, []string{"c.yaml:3: compaction: unknown key \"triger_ratio\"", "\n    triger_ratio: 0.9", "did you mean trigger_ratio?"}},
		{"key like no other", "ui: {zzzz: 1}\n", 1, []string{"known keys here: keys, leave_transcript"}},
		{"word in place of another", "permissions: {mode: edit}\n", 1, []string{"permissions.mode", "plan, ask, edits, auto or yolo", "did you mean edits?"}},
		{"wrong type", "ui:\n  mouse: 1\n", 2, []string{"ui.mouse: needs true or false, but has a whole number", "    mouse: 1"}},
		{"number for text", "model: 5\n", 1, []string{"put text in quotes"}},
		{"text for list", "permissions:\n  deny: rm\n", 2, []string{"needs a list, but has text", "write [rm]"}},
		{"scalar for table", "ui: dark\n", 1, []string{"needs keys below it, but has text"}},
		{"no value", "log:\n  level:\n", 2, []string{"log.level: has no value", "delete the line"}},
		{"percent for ratio", "compaction: {trigger_ratio: 85}\n", 1, []string{"up to 1, such as 0.85 for 85%"}},
		{"zero ratio", "compaction: {trigger_ratio: 0}\n", 1, []string{"above 0 and up to 1"}},
		{"nan", "compaction: {trigger_ratio: .nan}\n", 1, []string{"is not a ratio"}},
		{"hard below trigger", "compaction:\n  trigger_ratio: 0.97\n", 2, []string{"hard_ratio (0.95) must be above trigger_ratio (0.97)", "    trigger_ratio: 0.97"}},
		{"target above trigger", "compaction:\n  evict:\n    target: 0.9\n", 3, []string{"evict.target (0.9) must be below trigger_ratio (0.85)", "    target: 0.9"}},
		{"cold at a lower trigger", "compaction:\n  trigger_ratio: 0.5\n  evict: {target: 0.3,\n    cold: 0.5}\n", 4, []string{"evict.cold (0.5) must be below trigger_ratio (0.5)"}},
		{"note above target", "compaction:\n  evict:\n    target: 0.3\n    index: 0.1\n    words: 0.2\n", 5, []string{"evict.index and evict.words (0.3 together) must be below evict.target (0.3)"}},
		{"percent for a share", "compaction: {evict: {cold: 60}}\n", 1, []string{"compaction.evict.cold", "60 is not a ratio"}},
		{"word for a share", "compaction: {evict: {cold: Auto}}\n", 1, []string{"needs a share of the window or auto"}},
		{"when", "compaction: {summary: {when: byhand}}\n", 1, []string{"load-line, by-hand or never", "did you mean by-hand?"}},
		{"no such profile", "compaction:\n  default_profile: hevy\n", 2, []string{"there is no profile \"hevy\"", "default, heavy or light"}},
		{"duration without unit", "compaction: {summary: {timeout: 60}}\n", 1, []string{"60s, 5m, 1h or 2d"}},
		{"bad size", "tool_results: {ceiling: big}\n", 1, []string{"is not a size", "8MiB"}},
		{"negative number", "compaction: {keep_last: -1}\n", 1, []string{"out of range: 0 to"}},
		{"too large a number", "context: {window: 99999999999}\n", 1, []string{"out of range"}},
		{"profile list", "compaction: {profiles: {p: {tool_calls: [strip]}}}\n", 1, []string{"a word or a table"}},
		{"window below input", "providers: {x: {models: {m: {context_window: 5, max_input: 6}}}}\n", 1, []string{"max_input (6) is above context_window (5)"}},
		{"a field of the program", "providers:\n  x:\n    body:\n      top_p: 1\n      messages: []\n", 5, []string{"providers.x.body", "Plimsoll sets messages itself", "the conversation"}},
		{"a call that is forced", "models: {m: {body: {tool_choice: required}}}\n", 1, []string{"tool_choice", "the model decides"}},
		{"thinking on Messages", "providers:\n  anthropic:\n    body: {thinking: {type: x}}\n", 3, []string{"providers.anthropic.body.thinking", "set effort"}},
		{"a key in a body", "providers: {x: {body: {a: [sk-0123456789ab]}}}\n", 1, []string{"looks like a key", "key_command"}},
		{"a body too long", "models: {m: {body: {a: " + strings.Repeat("b", 5000) + "}}}\n", 1, []string{"longer than 4KiB"}},
		{"a body that is no table", "providers: {x: {body: [1]}}\n", 1, []string{"needs keys below it"}},
		{"no number of JSON", "providers: {x: {body: {a: .inf}}}\n", 1, []string{"not a number of JSON"}},
		{"a command that is text", "providers: {x: {key_command: gcloud}}\n", 1, []string{"needs a list", "write [gcloud]"}},
		{"no address", "providers: {x: {base_url: localhost:8080}}\n", 1, []string{"http://localhost:8080/v1"}},
		{"address with query", "providers: {x: {base_url: 'http://h/v1?a=b'}}\n", 1, []string{"end it with the path"}},
		{"no host", "permissions: {private_addresses: ['http://localhost']}\n", 1, []string{"without scheme and port"}},
		{"mistyped address", "permissions: {private_addresses: [10.0.0.999]}\n", 1, []string{"is not a host"}},
		{"provider name", "providers: {a/b: {}}\n", 1, []string{`"a/b" is not a name`}},
		{"mcp.compaction, of a later version", "# first line\nmcp: {files: {compaction: x}}\n", 2, []string{"does not have mcp.files.compaction yet"}},
		{"a server with two addresses", "mcp: {files: {command: [x], url: 'http://h/mcp'}}\n", 1, []string{"either a program or an address"}},
		{"a server with neither", "mcp: {files: {timeout: 3s}}\n", 1, []string{"neither command nor url"}},
		{"headers of a program", "mcp: {files: {command: [x], headers: {A: b}}}\n", 1, []string{"only a server with an address"}},
		{"a hook without a list", "hooks: {message: {command: x}}\n", 1, []string{"command"}},
		{"a key of a hook", "hooks: {message: [{comand: x}]}\n", 1, []string{"entry 1", "comand", "command"}},
		{"an unknown mode of the sandbox", "# first line\npermissions: {sandbox: docker}\n", 2, []string{"permissions.sandbox", "workspace"}},
		{"parameters without a command", "# first line\ntools: {t: {parameters: {x: {type: integer}}}}\n", 2, []string{"only a tool with a command", "set tools.t.command"}},
		{"choice of a number", "tools: {t: {command: a, parameters: {x: {type: integer, enum: [a]}}}}\n", 1, []string{"only a string has an enum"}},
		{"characters: 0", "tool_results: {max_chars: 0}", 1, []string{"tool_results.max_chars"}},
		{"characters: Auto", "tool_results: {max_chars: Auto}", 1, []string{"tool_results.max_chars"}},
		{"characters: \"30000\"", "tool_results: {max_chars: \"30000\"}", 1, []string{"tool_results.max_chars"}},
		{"duplicate key", "ui: {}\nmodel: a\nmodel: b\n", 3, []string{`"model" already defined at [2:1]`, "    model: b"}},
		{"open bracket", "ui: [1\n", 1, []string{"c.yaml:1: "}},
		{"list document", "- a\n", 1, []string{"holds a list where keys are expected"}},
		{"huge", strings.Repeat("#", config.MaxFileSize+1), 0, []string{"larger than 64KiB"}},
		{"invalid UTF-8", "ui: {}\nmodel: \"a\xffb\"\n", 2, []string{"not valid UTF-8"}},
		{"NUL", "model: \"a\x00b\"\n", 1, []string{"control character U+0000"}},
		{"tag", "model: !!str 5\n", 1, []string{`"!!str" has no meaning here`}},
		{"key that is a list", "? [a]\n: b\n", 0, []string{"c.yaml"}},
	} {
		_, err := config.Load(config.LoadOptions{File: write(t, t.TempDir(), "c.yaml", c.text)})
		var p *config.Problem
		if !errors.As(err, &p) {
			t.Errorf("%s: no problem but %v", c.name, err)
			continue
		}
		if c.line > 0 && p.Line != c.line {
			t.Errorf("%s: line %d, want %d", c.name, p.Line, c.line)
		}
		for _, want := range c.want {
			if !strings.Contains(p.Error(), want) {
				t.Errorf("%s lacks %q:\n%s", c.name, want, p.Error())
			}
		}
	}
}

func TestProblemsHideSecrets(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3tV4lue"
	for _, text := range []string{
		"providers: {x: {api_key: " + secret + "}}\n",
		"api_key: " + secret + "\n",
		"providers:\n  x:\n    api_key_env: " + secret + "\n",
		"providers:\n  x:\n    api_key_env: sk-proj-" + secret + "\n",
		"providers:\n  x:\n    headers:\n      X-Mine: [" + secret + "]\n",
		"providers:\n  x:\n    headers:\n      X-Mine: " + secret + ": a\n",
		"providers:\n  x:\n    headers: {Authorization: Bearer " + secret + ", bad name: 1}\n",
		"providers:\n  x:\n    headers:\n      Authorization: |\n        Bearer " + secret + "\n        more\n",
		"providers: {x: {headers: {X-Mine: \"" + secret + "\\x01\"}}}\n",
		"providers: {x: {headers: {X-Mine: \"" + secret + "\\x7f\"}}}\n",
		"providers:\n  x:\n    base_url: http://me:" + secret + "@host/v1\n",
		"modle: sk-" + secret + "\n",
		"model: [sk-" + secret + "]\n",
		"log: {level: sk-" + secret + "}\n",
		"ui: {theme: Bearer " + secret + "}\n",
		"\"x\": \"Authorization: " + secret + "\"\n",
		"providers:\n  x:\n    headers:\n      Cookie:\n\t" + secret + "\n",
		"\"providers\":\n  x:\n    headers:\n      X-Auth: " + secret + ": x\n",
		"'providers':\n  x:\n    headers:\n      X-Auth: " + secret + ": x\n",
		"  model: m\n  providers:\n    x:\n      headers:\n        X-Auth: " + secret + ": x\n",
		"{providers: {x: {headers: [" + secret + "]}}}\n",
		"{providers: {x: {headers: {\n  X-Mine: [" + secret + "]}}}}\n",
		"{\n\"providers\": {\n\"x\": {\n\"headers\": {\n\"X-Mine\": [\"" + secret + "\"]}}}}\n",
	} {
		_, err := config.Load(config.LoadOptions{File: write(t, t.TempDir(), "c.yaml", text)})
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("no problem, or it shows the secret:\n%v\nof\n%s", err, text)
		}
	}
	for _, set := range []string{"providers.x.headers.X-Mine=[" + secret + "]", "providers.x.api_key=" + secret,
		"sk-" + secret, "sk-" + secret + "=", "\"providers\".x.headers.X-Mine=[" + secret + "]", "github.pat=" + secret,
	} {
		l, err := config.Load(config.LoadOptions{Env: env("HOME", "/h"), Overrides: []string{set}})
		if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(fmt.Sprint(l.Sources), secret) {
			t.Errorf("shown of %s: %v, %v", set, err, l.Sources)
		}
	}
}

func TestNestingThatWouldStallTheParserIsRefused(t *testing.T) {
	t.Parallel()
	for _, n := range []int{6_000, config.MaxFileSize - 100} {
		for name, text := range slowDocuments(n) {
			if _, err := config.Load(config.LoadOptions{File: write(t, t.TempDir(), "c.yaml", text)}); err == nil {
				t.Errorf("%s of %d bytes: no problem", name, n)
			}
		}
	}
}

// slowDocuments are texts of about n bytes whose cost for a parser grows faster than their length.
func slowDocuments(n int) map[string]string {
	return map[string]string{
		"brackets": strings.Repeat("[", n), "braces": strings.Repeat("{a: ", n/4), "dashes": strings.Repeat("- ", n/2),
		"questions": strings.Repeat("? ", n/2), "tags": strings.Repeat("!a ", n/3), "anchors": strings.Repeat("&a ", n/3),
		"flat": strings.Repeat("a: 1\n", n/5), "keys": strings.Repeat("a: ", n/3), "closing": strings.Repeat("]", n), "colons": strings.Repeat(": ", n/2),
		"percent": strings.Repeat("%", n), "mixed": strings.Repeat("- !a &a ", n/8), "staircase": staircase(n),
		"commas": "[" + strings.Repeat(",", n), "quotes": strings.Repeat("'", n),
		"laughs": manyAliases(), "merges": manyMergeKeys(), "dash question": strings.Repeat("- ? ", n/4),
		"flow lines": strings.Repeat("[\n", n/2), "brace lines": strings.Repeat("{\n", n/2), "question lines": strings.Repeat("?\n", n/2),
		"open and shut": strings.Repeat("[]", n/2), "open and shut lines": strings.Repeat("[]\n", n/3), "comma lines": "[" + strings.Repeat(",\n", n/2), "key lines": "a: " + strings.Repeat("\n a: ", n/6), "value lines": strings.Repeat(":\n", n/2), "anchor lines": strings.Repeat("&a\n", n/3), "tag lines": strings.Repeat("!a\n", n/3),
	}
}

// staircase nests blocks as deep as possible: each line is indented by one space more.
func staircase(size int) string {
	var b strings.Builder
	for i := 0; b.Len()+i < size; i++ {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// manyAliases is a file whose aliases expand to 90,000 models ("billion laughs").
func manyAliases() string {
	var b strings.Builder
	b.WriteString("providers:\n  p0: &p\n    models:\n      m0: &m {max_input: 1}\n")
	for i := range 299 {
		fmt.Fprintf(&b, "      m%d: *m\n", i+1)
	}
	for i := range 299 {
		fmt.Fprintf(&b, "  p%d: *p\n", i+1)
	}
	return b.String()
}

// manyMergeKeys is a file whose merge keys copy millions of entries.
func manyMergeKeys() string {
	var b strings.Builder
	b.WriteString("tools:\n  t0: &t0\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "    k%d: 1\n", i)
	}
	for i := range 5000 {
		fmt.Fprintf(&b, "  u%d: {<<: *t0}\n", i)
	}
	return b.String()
}
