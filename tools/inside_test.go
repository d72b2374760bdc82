package tools

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"plimsoll/tools/params"
)

func TestCaptureKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		half := 1 + random.IntN(50)
		c := newCapture(2*half, nil)
		var all []byte
		read := int64(0)
		for range random.IntN(20) {
			p := make([]byte, random.IntN(80))
			for i := range p {
				p[i] = 'a' + byte(random.IntN(26))
			}
			all = append(all, p...)
			if n, err := c.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
			if random.IntN(4) == 0 {
				fresh, next := c.since(read)
				if next != int64(len(all)) || !strings.HasSuffix(string(all), fresh[strings.LastIndexByte(fresh, '\n')+1:]) {
					t.Fatalf("since %d: %q of %q", read, fresh, all)
				}
				if int(next-read) <= half && fresh != string(all[read:]) {
					t.Fatalf("since %d: %q, want %q", read, fresh, all[read:])
				}
				read = next
			}
		}
		got, _ := c.since(0)
		if len(all) <= 2*half {
			if got != string(all) {
				t.Fatalf("half %d: %q, want %q", half, got, all)
			}
			continue
		}
		if !strings.HasPrefix(got, string(all[:half])+"\n[... ") || !strings.HasSuffix(got, " ...]\n"+string(all[len(all)-half:])) {
			t.Fatalf("half %d: %q of %q", half, got, all)
		}
	}
}

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	t.Parallel()
	a, err := newAddresses([]string{"10.1.0.0/16", "localhost", "fd00::1", "[::1]"})
	if err != nil {
		t.Fatal(err)
	}
	for _, refused := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.1.2.3", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.192", "192.168.1.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "168.63.129.16",
		"::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1",
		"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "100::1",
	} {
		if a.check(netip.MustParseAddr(refused)) == nil {
			t.Errorf("%s is reached", refused)
		}
	}
	for _, reached := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2001:4860:4860::8888", "10.1.2.3", "fd00::1", "::1"} {
		if err := a.check(netip.MustParseAddr(reached)); err != nil {
			t.Errorf("%s is refused: %v", reached, err)
		}
	}
	if !a.host("LocalHost.") || a.host("localhost.evil.com") {
		t.Error("hosts are not compared whole")
	}
}

func FuzzDecode(f *testing.F) {
	all := append([]params.Param{
		{Name: "text", Kind: params.Text, Required: true}, {Name: "n", Kind: params.Whole, Min: 1, Max: 9}, {Name: "f", Kind: params.Flag},
		{Name: "list", Kind: params.Texts}, {Name: "map", Kind: params.Map}, {Name: "pick", Kind: params.Text, Choices: []string{"a", "b"}},
	}, todoParams[0])
	all[6].Required = false
	f.Add(`{"text":"x","n":"3","f":"true","list":["a",1],"map":{"k":"v"},"pick":"A","todos":[{"text":"t","status":"done"}]}`)
	f.Add(`{"text":1,"list":"[\"x\"]","map":"{}","todos":"[]"}`)
	f.Add(`{"_invalid":"{"}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, raw string) {
		args, err := params.Decode("tool", all, raw)
		if err != nil {
			if !strings.Contains(err.Error(), "tool") {
				t.Fatalf("the error does not name the tool: %v", err)
			}
			return
		}
		if _, ok := args["text"].(string); !ok {
			t.Fatalf("accepted without its required text: %v", args)
		}
		if n := args.Whole("n", 1); n < 1 || n > 9 {
			t.Fatalf("n is %d", n)
		}
		if p := args.Text("pick"); p != "" && p != "a" && p != "b" {
			t.Fatalf("pick is %q", p)
		}
		args.Flag("f")
		args.Texts("list")
		args.TextMap("map")
		if _, err := todosOf(args); err != nil && len(args.Items("todos")) == 0 {
			t.Fatalf("no todos, yet %v", err)
		}
	})
}

func FuzzSubstitute(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "x\ny", false)
	f.Add("a\r\nb\r\n", "a\nb", "c\nd", false)
	f.Add("a\r\nb\n", "a\n", "c\n", true)
	f.Add("func f() {\n\treturn 1\n}\n", "func f() {\n  return 1\n}", "", false)
	f.Add("1\tx\n", "1\tx", "y", true)
	f.Fuzz(func(t *testing.T, text, old, new string, all bool) {
		m, err := substitute(text, old, new, all)
		if err != nil {
			if old != "" && old != new && strings.Count(text, old) == 1 && !strings.Contains(text, "\r") {
				t.Fatalf("refused what is there once: %v", err)
			}
			return
		}
		old, new = fitLineEnds(text, old, new)
		if m.count < 1 || !all && m.count != 1 || m.count != strings.Count(text, old) {
			t.Fatalf("%d replacements of %q in %q", m.count, old, text)
		}
		if want := len(text) + m.count*(len(new)-len(old)); len(m.text) != want {
			t.Fatalf("%d bytes, want %d", len(m.text), want)
		}
		if !strings.Contains(text, "\r\n") && m.text != strings.ReplaceAll(text, old, new) {
			t.Fatalf("got %q", m.text)
		}
		onlyWindows := strings.Count(text, "\n") > 0 && strings.Count(text, "\n") == strings.Count(text, "\r\n")
		if onlyWindows && !strings.HasSuffix(old, "\r") && !strings.HasPrefix(old, "\n") && strings.Count(m.text, "\n") != strings.Count(m.text, "\r\n") {
			t.Fatalf("line ends are mixed now: %q", m.text)
		}
		if lines := lineCount(text) + 1; m.line < 1 || m.line > lines {
			t.Fatalf("line %d of %d", m.line, lines)
		}
	})
}

func FuzzScript(f *testing.F) {
	for _, s := range []string{"git log", "a && b | c; d", "$(rm x)", "sudo rm -rf /", "bash -c 'rm x'", "a > b", "`x`", "eval \"$x\"", "x=1 y", "f() { x; }; f", "a &"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := parseScript(text, syntax.LangBash)
		if s.plain && len(s.calls) == 0 {
			t.Fatal("plain without a command")
		}
		if s.plain && len(s.nested) < len(s.calls) {
			t.Fatal("deny rules see less than allow rules")
		}
		call := touch{tool: "run_command", access: accessCommand, script: s}
		for _, rules := range candidates(call)[:1] {
			if _, ok := allowScript(asStanding(rules), s); utf8.ValidString(text) && !ok && s.text != "" {
				t.Fatalf("the grant for %q does not cover it: %v", s.text, rules)
			}
			if len(rules) != 1 || !rules[0].exactly(s.text) && s.text != "" {
				t.Fatalf("%q is granted as %v", s.text, rules)
			}
		}
	})
}

func FuzzMatchStar(f *testing.F) {
	f.Add("a*b", "axxb")
	f.Add(`\*`, "*")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if !strings.ContainsAny(pattern, `*\\`) && matchStar(pattern, text) != (pattern == text) {
			t.Fatalf("%q against %q", pattern, text)
		}
		if !matchStar(escapeStar(text), text) {
			t.Fatalf("%q does not match itself", text)
		}
		if !matchStar("*"+escapeStar(text)+"*", "x"+text+"y") {
			t.Fatalf("%q is not found inside", text)
		}
	})
}
