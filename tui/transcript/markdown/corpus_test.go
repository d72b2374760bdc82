package markdown_test

import (
	"fmt"
	"strings"
)

// corpus holds texts that are hard to parse, to render, to stream, or to fit a narrow width.
func corpus() map[string]string {
	return map[string]string{
		"headings": "# One *two* `three`\n\nSetext\n===\n\nAlso setext\nover two lines\n---\n\n###### Deep\n#\n# [link](http://x.y) in it\n",
		"prose": "A paragraph with **bold**, *italic*, ***both***, ~~gone *with* it~~ and `code`.\nA soft break, a hard  \nbreak, and\\\nanother.\n\n" +
			"Snake_case_names and 2 * 3 * 4 stay. \\*Escaped\\* \\\"quotes\\\" \\\\ too.\n",
		"lists": "- one\n- two that is long enough to wrap at every width that is tested here, which takes a while at eighty columns\n" +
			"  - nested\n    - deeper\n      1. and\n      2. numbered\n\n  a second paragraph\n\n      indented code\n- three\n\n- loose four\n\nText.\n\n" +
			"9. nine\n10. ten\n\n    still ten\n11. eleven\n\n- [x] done\n- [ ] to do **bold**\n\n* other\n+ marker\n1) paren\n",
		"list with code": "1. First:\n\n   ```go\n   func main() {\n   \tprintln(\"hi\")\n   }\n   ```\n\n2. Then:\n   ```\n   plain & <b>\n   ```\n   after\n3. > quote\n   > in item\n",
		"tables": "| Name | Count | Note |\n|:-----|------:|:----:|\n| `a\\|b` | 1 | **x** |\n| a cell with quite some text in it | 22222 | one<br>two |\n\n" +
			"Text right above\n| a |\n|---|\n| 世界 |\n\n| only | header |\n|---|---|\n\nnot | a | table\n",
		"wide table":  wideTable(),
		"fences":      "```go\npackage main\n\n// comment\nfunc main() {}\n```\n\n~~~~\ntildes ``` inside\n~~~~\n\n```nosuchlanguage\nx\n```\n\n````markdown\n```\nnested\n```\n````\n\n   ```\n   indented\n  less\n   ```\n",
		"empty fence": "```\n```\n\nx\n\n```go\n\n\n```\n",
		"unclosed":    "Text\n\n```python\ndef f():\n\treturn '''\n\n\n  deep\n",
		"long code":   "```go\n" + strings.Repeat("abcdefghi ", 13) + "\n\tx := \"" + strings.Repeat("世界", 40) + "\"\n```\n",
		"quotes":      "> one\n> two\n>\n> - list\n>   more\n>\n> > deeper\n> > ```sh\n> > ls\n> > ```\nlazy\n\n> # heading\n",
		"html": "Use Vec<T> and List<int, Map<K, V>> with <b>bold</b>.<br>Next<br/> <!-- comment -->\n\n<thinking>\nhidden? **no**\n</thinking>\n\n" +
			"<details>\n<summary>More</summary>\n\nInner *text*\n\n</details>\n\n- <b>item</b>\n- x\n\n> <div>\n> quoted\n> </div>\n",
		"links": "[text](http://example.com/a_b \"title\"), [same](#anchor), <http://auto.link/x>, www.bare.org, https://e.com/100%, me@x.org, <me@y.org>\n\n" +
			"![alt *x*](pic.png) [![badge](b.svg)](http://ci) [**bold** `code`](<url with space>) [](empty) [x]()\n\n[ref], [Ref][], [text][REF], [late], [none]\n\n" +
			"[ref]: http://ref.example 'T'\n\nMore [ref] and `[ref]`.\n\n[late]: <http://late.example>\n[ref]: http://second.example\n",
		"references between items": "1. a [x]\n\n[x]: http://x\n\n1. b [x]\n2. c\n\n[y]: /y\n- d [y]\n",
		"entities":                 "&lt;b&gt; &amp;amp; &copy; &nbsp;x &#27;[31m &#x9b;2J &#7; &bogus; &CounterClockwiseContourIntegral; `&lt;` \\&lt; & &;\n",
		"hostile":                  "\x1b]52;c;aGk=\x07 \x1b[2J\x9b \u202etxt\u202c `\x1b[31m` [\x1b]8;;x](\x1b) \x00\x01\x02\x05 \ufdd0\ufdd1\n\n```go\nx := \"\x1b[0m\"\n```\n\n| \x1b |\n|---|\n| \x07 |\n",
		"CJK":                      "# 标题很长很长很长很长很长很长\n\n敏捷的棕色狐狸跳过懒狗。" + strings.Repeat("敏捷的棕色狐狸", 20) + "\n\n- 项目一\n- 项目" + strings.Repeat("二", 60) + "\n\n| 名 | 数 |\n|---|---|\n| 世界你好 | 一二三 |\n",
		"emoji":                    "👨‍👩‍👧‍👦 family, 🇫🇷🇩🇪 flags, 👍🏽 skin, ❤️ heart. " + strings.Repeat("👨‍👩‍👧‍👦", 40) + "\n\n- 🚀 launch\n- ✅ done\n\n| 😀 | ok |\n|---|---|\n| 👩‍💻 | x |\n",
		"scripts":                  "नमस्ते दुनिया, سلام دنیا, שלום עולם, ไทยภาษา " + strings.Repeat("ภาษาไทย", 20) + "\n",
		"long words":               "See https://example.com/" + strings.Repeat("path/", 50) + "?q=" + strings.Repeat("x", 120) + " and " + strings.Repeat("y", 300) + "\n\n- " + strings.Repeat("z", 200) + "\n\n> " + strings.Repeat("w", 200) + "\n",
		"one line":                 strings.Repeat("words and more words, *emphasis* and `code`; ", 150),
		"tabs":                     "a\tb\n\n\tcode\twith\ttabs\n\n-\titem\n\n\tin it\n\n```make\nall:\n\tgo build\n```\n",
		"carriage returns":         "a\r\nb\r\n\r\n```\r\ncode\r\n```\r\nc\rd\r\n",
		"rules":                    "a\n\n---\n\n***\n- - -\n- -\n\n_ _ _\n",
		"deep":                     strings.Repeat(">", 80) + " deep\n\n" + strings.Repeat("- ", 40) + "x\n\n" + deepList(30),
		"breakable markers":        "1\n1.\n1. x\n-\n- \n#\n#x\n``\n```x`y\n[a\n[a]:\n[a]: \n|\n|-|\n:\n: x\na\n:\n: y\n\n*\n",
		"delimiters":               strings.Repeat("*a_ [b](", 3000) + "\n\n" + strings.Repeat("* item\n", 50) + "**after**\n",
		"blank":                    " \n\t\n\n",
		"empty":                    "",
	}
}

func wideTable() string {
	const columns = 20
	var b strings.Builder
	for row := range 4 {
		for c := range columns {
			if row == 1 {
				b.WriteString("|---")
				continue
			}
			fmt.Fprintf(&b, "| r%dc%d", row, c)
		}
		b.WriteString("|\n")
	}
	return b.String()
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- level\n")
	}
	return b.String()
}

// answer returns about n bytes of Markdown as a model writes it: prose, lists, code and a few tables.
func answer(n int) string {
	const part = `## Step %d: make the server restartable

The handler keeps **one connection** per worker, so a restart drops whatever is in flight. Two things help: draining
before the listener closes, and making each request *idempotent* with the key from ` + "`X-Request-ID`" + `. See
[the notes](https://example.com/notes/%d) for what was measured.

- Drain: stop accepting, then wait for the ` + "`WaitGroup`" + ` with a deadline of ten seconds.
- Retry: a client may send the same request again, which must not charge twice.
  - The key is stored with the result for a day.
  - A second request with the same key gets the stored result.
- Watch: count what is dropped, and alert when it is more than nothing.

` + "```go" + `
// Shutdown stops the listener and waits for what is in flight.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close listener %%q: %%w", s.listener.Addr(), err)
	}
	done := make(chan struct{})
	go func() { s.inflight.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
` + "```" + `

| Setting | Default | Effect |
|---|---:|---|
| drain | 10s | how long to wait for requests in flight |
| retries | 3 | how often a client repeats a request |

1. Deploy it to one instance and watch the counters for an hour.
2. Then to all of them, one after the other, with a pause between two.

`
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		// No two lines are equal, so that no block is found in the cache.
		for j, line := range strings.SplitAfter(fmt.Sprintf(part, i, i), "\n") {
			b.WriteString(strings.NewReplacer("the", fmt.Sprintf("the%d", i), "err", fmt.Sprintf("err%d_%d", i, j), "- ", fmt.Sprintf("- %d ", i)).Replace(line))
		}
	}
	return b.String()[:n]
}
