package tools_test

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"plimsoll/conversation"
	"plimsoll/tools"
)

// serve starts a server on loopback and returns a Box that may reach it as
// trusted.test, but under no other name.
func serve(t *testing.T, h http.Handler) (b *tools.Box, base string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	b, _ = open(t, nil, func(o *tools.Options) {
		o.PrivateAddresses = []string{"trusted.test"}
		o.Resolver = resolver(map[string][]string{"trusted.test.": {"127.0.0.1"}, "sneaky.test.": {"127.0.0.1"}, "meta.test.": {"169.254.169.254"}, "six.test.": {"::1"}})
	})
	return b, "http://trusted.test:" + u.Port()
}

// resolver answers DNS queries from a table, without a network.
func resolver(table map[string][]string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			for answer(server, table) == nil {
			}
		}()
		return client, nil
	}}
}

// answer answers one DNS query in the format of DNS over TCP.
func answer(c net.Conn, table map[string][]string) error {
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return err
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, query); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return err
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	if table[q.Name.String()] == nil {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, text := range table[q.Name.String()] {
		ip := net.ParseIP(text)
		head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
		if v4 := ip.To4(); v4 != nil && q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: [4]byte(v4)}})
		} else if v4 == nil && q.Type == dnsmessage.TypeAAAA {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: [16]byte(ip)}})
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	return err
}

func TestHTTPRequestShowsStatusHeadersAndBody(t *testing.T) {
	t.Parallel()
	b, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "a=b")
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = fmt.Fprintf(w, `{"method":%q,"x":%q,"agent":%q,"body":%q,"auth":%q}`, r.Method, r.Header.Get("X-Test"), r.UserAgent(), body, r.Header.Get("Authorization"))
	}))
	tries(t, b, []try{
		{"http_request", `{"url":"` + base + `/a","method":"post","headers":{"x-test":1},"body":"hello"}`,
			"=HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + `{"method":"POST","x":"1","agent":"plimsoll","body":"hello","auth":""}`},
		{"http_request", `{"url":"` + base + `/missing"}`, "!404 Not Found"},
		{"http_request", `{"url":"` + base + `","headers":{"Host":"x"}}`, "!header Host cannot be set"},
		{"http_request", `{"url":"` + base + `","headers":{"A":"x\r\nB: y"}}`, "!invalid header"},
		{"http_request", `{"url":"` + base + `","method":"TRACE"}`, "!one of GET"},
		{"http_request", `{"url":"` + base + `","body":"x"}`, "!has no body"},
	})
}

func TestPagesComeAsMarkdown(t *testing.T) {
	t.Parallel()
	page := "<html><head><title>T</title><style>p{}</style><script>evil()</script></head><body><h1>Head</h1><p>Some <b>bold</b> text and a <a href=\"/l\">link</a>.</p>" +
		"<ul><li>one</li><li>two</li></ul><table><tr><th>a</th></tr><tr><td>1</td></tr></table><noscript>no</noscript><!-- secret --></body></html>"
	b, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/latin":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			_, _ = w.Write([]byte("<p>caf\xe9</p>"))
		case "/sjis":
			w.Header().Set("Content-Type", "text/plain; charset=Shift_JIS")
			_, _ = w.Write([]byte("\x93\xfa\x96\x7b"))
		case "/deep":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<script>evil()</script>" + strings.Repeat("<div>", 1000) + "deep down &amp; out"))
		case "/utf8":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`"日本"`))
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(page))
		}
	}))
	got := succeed(t, b, "http_request", map[string]any{"url": base})
	for _, part := range []string{"# Head", "Some **bold** text", "(" + base + "/l)", "- one", "| a |"} {
		if !strings.Contains(got, part) {
			t.Errorf("lacks %q: %s", part, got)
		}
	}
	for _, part := range []string{"evil", "p{}", "secret", "<p>"} {
		if strings.Contains(got, part) {
			t.Errorf("holds %q: %s", part, got)
		}
	}
	if got := succeed(t, b, "http_request", map[string]any{"url": base, "raw": true}); !strings.HasSuffix(got, page) {
		t.Errorf("raw: %s", got)
	}
	if got := succeed(t, b, "http_request", map[string]any{"url": base + "/deep"}); !strings.Contains(got, "nested too deeply") {
		t.Errorf("a page nested too deeply: %q", got)
	}
	for path, want := range map[string]string{"/latin": "café", "/sjis": "日本", "/utf8": `"日本"`} {
		if got := succeed(t, b, "http_request", map[string]any{"url": base + path}); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	b, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/png":
			_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n\x00"))
		case "/zip":
			w.Header().Set("Content-Type", "application/zip")
			_, _ = w.Write([]byte("PK"))
		case "/lie":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("a\x00b"))
		case "/bomb":
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.CopyN(z, zeros{}, 8<<20)
			_ = z.Close()
		case "/slow":
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	for path, want := range map[string]string{"/png": "(a body of type image/png, 9 B, is not text", "/zip": "application/zip, 2 B", "/lie": "is not text", "/none": "(no body)"} {
		if got := succeed(t, b, "http_request", map[string]any{"url": base + path}); !strings.Contains(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	got := succeed(t, b, "http_request", map[string]any{"url": base + "/bomb"})
	if !strings.HasSuffix(got, "[only the first 5 MiB were read]") || len(got) > 5<<20+500 {
		t.Errorf("%d bytes, ends %q", len(got), got[len(got)-50:])
	}
	fail(t, b, "http_request", map[string]any{"url": base + "/slow", "timeout": 1}, "no answer within 1s")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestPrivateAddressesAreRefusedInEveryNotation(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	b, base := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	port := base[strings.LastIndexByte(base, ':'):]
	for _, host := range []string{
		"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"[64:ff9b::7f00:1]", "[::]", "0.0.0.0", "0", "localhost", "sneaky.test", "six.test", "meta.test", "169.254.169.254", "10.0.0.1", "[fe80::1%25lo]", "[fd00::1]",
		"127.0.0.1.", "2130706433.",
	} {
		out := run(t, b, "http_request", map[string]any{"url": "http://" + host + port + "/"})
		if out.Status != conversation.ResultError {
			t.Errorf("%s: %+v", host, out)
		}
	}
	for _, u := range []string{"file:///etc/passwd", "ftp://trusted.test/", "gopher://trusted.test/", "trusted.test", "http:///x", "http://", "javascript:1", "http://trus ted/"} {
		fail(t, b, "http_request", map[string]any{"url": u})
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	fail(t, b, "http_request", map[string]any{"url": "http://sneaky.test" + port}, "are not reached", "private_addresses")
}

func TestRedirectsAreCheckedLikeFirstAddresses(t *testing.T) {
	t.Parallel()
	var stolen atomic.Int32
	b, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "127.") || strings.HasPrefix(r.Host, "sneaky") || r.URL.Path == "/stolen" {
			stolen.Add(1)
		}
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if n := len(r.URL.Path) - 1; r.URL.Path[0] == '/' && strings.Trim(r.URL.Path, "/n") == "" && n > 0 {
			http.Redirect(w, r, r.URL.Path[:n], http.StatusFound)
			return
		}
		_, _ = fmt.Fprint(w, "arrived")
	}))
	port := base[strings.LastIndexByte(base, ':'):]
	for _, to := range []string{
		"http://127.0.0.1" + port + "/stolen", "http://[::1]" + port + "/stolen", "http://169.254.169.254/latest/meta-data/", "http://2130706433" + port + "/stolen",
		"http://sneaky.test" + port + "/stolen", "http://meta.test/", "file:///etc/passwd", "//127.0.0.1" + port + "/stolen",
	} {
		out := run(t, b, "http_request", map[string]any{"url": base + "/?to=" + url.QueryEscape(to)})
		if out.Status != conversation.ResultError {
			t.Errorf("%s: %+v", to, out)
		}
	}
	if n := stolen.Load(); n != 0 {
		t.Errorf("%d requests arrived where they must not", n)
	}
	got := succeed(t, b, "http_request", map[string]any{"url": base + "/nnnnn"})
	if !strings.HasSuffix(got, "arrived") || !strings.Contains(got, "Final address: "+base+"/\n") {
		t.Errorf("five redirects: %s", got)
	}
	fail(t, b, "http_request", map[string]any{"url": base + "/nnnnnn"}, "stopped after 5 redirects")
}

func TestCredentialsDoNotFollowToAnotherHost(t *testing.T) {
	t.Parallel()
	var seen atomic.Pointer[http.Header]
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(&r.Header)
		_, _ = fmt.Fprint(w, "other")
	}))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/here" {
			seen.Store(&r.Header)
			return
		}
		to := other.URL
		if r.URL.Query().Has("same") {
			to = "/here"
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(first.Close)
	b, _ := open(t, nil, func(o *tools.Options) {
		o.PrivateAddresses = []string{"127.0.0.0/8"}
		o.Permissions.Allow = []string{"http_request(GET " + other.URL + "/*)"}
	})
	headers := map[string]string{"Authorization": "Bearer fake", "Cookie": "a=b", "X-Api-Key": "fake", "Accept-Language": "de"}
	succeed(t, b, "http_request", map[string]any{"url": first.URL + "/?token=fake", "headers": headers})
	for name, values := range *seen.Load() {
		if strings.Contains(strings.Join(values, " "), "fake") || name == "Cookie" || name == "Referer" {
			t.Errorf("%s: %v arrived at another host", name, values)
		}
	}
	if seen.Load().Get("Accept-Language") != "de" {
		t.Error("harmless headers are lost")
	}
	succeed(t, b, "http_request", map[string]any{"url": first.URL + "/?same", "headers": headers})
	if seen.Load().Get("X-Api-Key") != "fake" {
		t.Error("a redirect on the same host loses headers")
	}
	fail(t, b, "http_request", map[string]any{"url": first.URL, "method": "POST", "body": "private"}, "is not followed with POST")
}

// A grant for one host does not cover hosts that it redirects to.
func TestRedirectsToAnotherHostAreNotFollowedUnasked(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/?"+r.URL.RawQuery, http.StatusFound)
	}))
	t.Cleanup(first.Close)
	for mode, follows := range map[conversation.Mode]bool{conversation.ModeAsk: false, conversation.ModePlan: false, conversation.ModeYolo: true} {
		b, _ := open(t, nil, func(o *tools.Options) {
			o.PrivateAddresses = []string{"127.0.0.0/8"}
			o.Permissions.Mode = mode
			o.Permissions.Allow = []string{"http_request(GET " + first.URL + "/*)"}
		})
		reached.Store(0)
		out := run(t, b, "http_request", map[string]any{"url": first.URL + "/?secret"})
		if got := reached.Load() > 0; got != follows {
			t.Errorf("%s: followed: %v, %+v", mode, got, out)
		}
		if !follows && !strings.Contains(out.Text, other.URL) {
			t.Errorf("%s: it does not say where to: %s", mode, out.Text)
		}
	}
}

// A rule matches every spelling of a host and of a path.
func TestRulesSeeAddressesAsTheyAreSent(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, func(o *tools.Options) {
		o.Permissions.Mode = conversation.ModeYolo
		o.Permissions.Deny = []string{"http_request(https://evil.test/*)", "http_request(https://b\u00fccher.test/*)", "http_request(https://a.test/admin/*)", "http_request(http://b.test.:80/*)"}
	})
	for _, u := range []string{
		"https://EVIL.test/x", "https://evil.test./x", "https://evil.test:443/x", "https://evil.test.:443/x", "https://evil.test:/x", "https://\uff45vil.test/x", "https://evil\u3002test/x",
		"https://evil\uff0etest\u3002/x", "https://x@evil.test/", "https://b\u00fccher.test/", "https://xn--bcher-kva.test/", "https://B\u00dcCHER.test/", "https://a.test/%61dmin/x",
		"https://a.test/x/../admin/x", "https://a.test/x/%2e%2e/admin/x", "https://a.test/x/..%2fadmin/x", "https://a.test//admin/x", "http://b.test/x", "http://b.test:80/",
	} {
		if got := need(t, b, "http_request", map[string]any{"url": u}); got != never {
			t.Errorf("%s: %s", u, got)
		}
	}
	b, _ = open(t, nil, func(o *tools.Options) { o.Permissions.Allow = []string{"http_request(GET https://a.test/docs/*)"} })
	for u, want := range map[string]conversation.Need{
		"https://a.test/docs/x": runs, "https://a.test./docs/x": runs, "https://a.test:443/docs/x": runs, "https://a.test/docs/%2e%2e/x": asks, "https://a.test/docs/..%2fx": asks,
		"https://a.test:444/docs/x": asks, "http://a.test/docs/x": asks, "https://\u0430.test/docs/x": asks, "https://a.test@b.test/docs/x": asks, "https://a.test%2eb.test/docs/x": runs,
	} {
		if got := need(t, b, "http_request", map[string]any{"url": u}); got != want {
			t.Errorf("%s: %s, want %s", u, got, want)
		}
	}
	r := b.Review(t.Context(), call(t, "http_request", map[string]any{"url": "https://\u0430pple.test/"}))
	if rule := r.Offer.Rules[0]; rule != "http_request(GET https://xn--pple-43d.test/)" || strings.Contains(r.Title, "\u0430") {
		t.Errorf("the look-alike is offered as %s, titled %s", rule, r.Title)
	}
}

func TestRedirectsObeyDenyRules(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://denied.test/x", http.StatusFound)
	}))
	t.Cleanup(s.Close)
	b, _ := open(t, nil, func(o *tools.Options) {
		o.PrivateAddresses = []string{"127.0.0.1"}
		o.Permissions.Deny = []string{"http_request(http://denied.test/*)"}
	})
	fail(t, b, "http_request", map[string]any{"url": s.URL}, "denied by the user's configuration")
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	b, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "direct") }))
	if got := succeed(t, b, "http_request", map[string]any{"url": base}); !strings.HasSuffix(got, "direct") {
		t.Errorf("got %q", got)
	}
}
