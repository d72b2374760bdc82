package tools_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
	"plimsoll/tools/sandbox"
	"plimsoll/tools/sandbox/proxy"
)

// TestFetch is no test but the program that commands of tests run: it fetches addresses by the proxy of its environment.
func TestFetch(t *testing.T) {
	for address := range strings.FieldsSeq(os.Getenv("FETCH")) {
		resp, err := http.Get(address)
		if err != nil {
			fmt.Println("FETCHED", err)
			continue
		}
		text, _ := io.ReadAll(resp.Body) // what came is shown
		_ = resp.Body.Close()
		fmt.Printf("FETCHED %d %s\n", resp.StatusCode, text)
	}
}

// self is this test as a program, in a folder.
func self(t *testing.T, dir string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fetch"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	return "./fetch -test.run='^TestFetch$'"
}

// network is a Box whose commands reach a server, and what answers questions about hosts.
type network struct {
	*tools.Box
	*testing.T
	dir    string
	port   string
	asked  []string
	answer func(ctx context.Context, review conversation.Review) (conversation.Answer, bool)
}

func openNetwork(t *testing.T, change func(*tools.Options)) *network {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "hello from ", r.Host) }))
	t.Cleanup(server.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := proxy.Serve(listener)
	t.Cleanup(p.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{T: t, port: at.Port()}
	n.Box, n.dir = open(t, nil, func(o *tools.Options) {
		o.PrivateAddresses = []string{"a.trusted.test", "b.trusted.test"}
		o.Resolver = resolver(map[string][]string{"a.trusted.test.": {"127.0.0.1"}, "b.trusted.test.": {"127.0.0.1"}, "sneaky.test.": {"127.0.0.1"}, "meta.test.": {"169.254.169.254"}})
		o.Reach = func(o proxy.Options) (*proxy.Command, error) { return p.Open(o), nil }
		o.AskHost = func(ctx context.Context, id string, review conversation.Review) (conversation.Answer, bool) {
			n.asked = append(n.asked, review.Title)
			if got, err := n.CheckRules(id, review.Offer.Rules); err != nil || len(got.Rules) != 1 || review.Command == "" {
				t.Errorf("%+v: %v", review, err)
			}
			return n.answer(ctx, review)
		}
		change(o)
	})
	return n
}

func (n *network) fetch(ctx context.Context, hosts ...string) conversation.Outcome {
	n.Helper()
	var addresses []string
	for _, h := range hosts {
		addresses = append(addresses, "http://"+h+":"+n.port+"/")
	}
	return n.Box.Run(ctx, call(n.T, "run_command", map[string]any{"command": fmt.Sprintf("FETCH='%s' %s", strings.Join(addresses, " "), self(n.T, n.dir))}), nil)
}

// wants checks what a result says.
func (n *network) wants(out conversation.Outcome, asked int, parts ...string) {
	n.Helper()
	for _, part := range parts {
		if !strings.Contains(out.Text, strings.ReplaceAll(part, "PORT", n.port)) {
			n.Errorf("no %q in: %s", part, out.Text)
		}
	}
	if len(n.asked) != asked {
		n.Errorf("asked %d times, not %d: %q", len(n.asked), asked, n.asked)
	}
}

func grant(g conversation.Grant, rules ...string) func(context.Context, conversation.Review) (conversation.Answer, bool) {
	return func(context.Context, conversation.Review) (conversation.Answer, bool) {
		return conversation.Answer{Grant: g, Rules: rules, Text: map[bool]string{true: "use the cache"}[g == conversation.GrantNo]}, true
	}
}

func TestACommandReachesTheHostsThatTheUserAllows(t *testing.T) {
	t.Parallel()
	n := openNetwork(t, func(o *tools.Options) { o.Permissions.Deny = []string{"network(denied.trusted.test)"} })
	n.answer = grant(conversation.GrantOnce)
	out := n.fetch(t.Context(), "a.trusted.test", "A.trusted.test.", "denied.trusted.test")
	n.wants(out, 1, "FETCHED 200 hello from a.trusted.test:PORT", "FETCHED 200 hello from A.trusted", "reached: network a.trusted.test:PORT\n",
		"kept from: network denied.trusted.test:PORT (the user's configuration denies network(denied.trusted.test)")
	n.answer = grant(conversation.GrantNo)
	n.wants(n.fetch(t.Context(), "a.trusted.test"), 2, "FETCHED 403 plimsoll: a.trusted.test:PORT is not reached: the user did not allow it: use the cache",
		"kept from: network a.trusted.test:PORT (the user did not allow it: use the cache)")
	n.answer = grant(conversation.GrantRun, "network(*.trusted.test:"+n.port+")")
	n.wants(n.fetch(t.Context(), "a.trusted.test", "b.trusted.test"), 3, "hello from a.trusted.test", "hello from b.trusted.test", ", b.trusted.test:PORT")
	n.wants(n.fetch(t.Context(), "b.trusted.test"), 3, "hello from b.trusted.test")
	get := call(t, "http_request", map[string]any{"url": "http://b.trusted.test:" + n.port})
	if r := n.Review(t.Context(), get); r.Need != conversation.NeedNothing {
		t.Errorf("http_request reads from the host after %s", r.Need)
	}
	post := call(t, "http_request", map[string]any{"url": "http://b.trusted.test:" + n.port, "method": "POST"})
	if r := n.Review(t.Context(), post); r.Need != conversation.NeedApproval {
		t.Errorf("http_request writes to the host after %s", r.Need)
	}
	n.answer = func(context.Context, conversation.Review) (conversation.Answer, bool) {
		return conversation.Answer{}, false
	}
	n.wants(n.fetch(t.Context(), "other.test"), 4, "kept from: network other.test:PORT (no user is present to allow it; permissions.hosts")
}

func TestPrivateAddressesAreNotReachedByCommands(t *testing.T) {
	t.Parallel()
	n := openNetwork(t, func(*tools.Options) {})
	n.answer = grant(conversation.GrantOnce)
	out := n.fetch(t.Context(), "169.254.169.254", "10.0.0.1", "0x7f.1", "2130706433", "[fd00::1]", "[::ffff:a00:1]", "sneaky.test", "meta.test")
	n.wants(out, 2, "FETCHED 502 plimsoll: 127.0.0.1: private, loopback", "FETCHED 502 plimsoll: 169.254.169.254: private", "kept from: network 10.0.0.1:PORT (10.0.0.1: private")
	if strings.Contains(out.Text, "hello") || strings.Contains(out.Text, "reached: network") || strings.Count(out.Text, "FETCHED 403") != 6 {
		t.Error(out.Text)
	}
}

func TestWithoutQuestionsOnlyConfiguredHostsAreReached(t *testing.T) {
	t.Parallel()
	n := openNetwork(t, func(o *tools.Options) {
		o.AskHost, o.Permissions.Hosts = nil, []string{"*.trusted.test"}
	})
	out := n.fetch(t.Context(), "a.trusted.test")
	n.wants(out, 0, "FETCHED 403 plimsoll: a.trusted.test:PORT is not reached: the network is off; permissions.hosts", "kept from: network a.trusted.test:PORT")
	n = openNetwork(t, func(o *tools.Options) { o.AskHost, o.Permissions.Mode = nil, conversation.ModeYolo })
	n.wants(n.fetch(t.Context(), "a.trusted.test"), 0, "hello from a.trusted.test")
	for _, wrong := range []string{"https://example.org", "example.org/x", "*", "*x.org", "a.*.org", "example.org:x", ""} {
		if _, err := tools.New(tools.Options{Workspace: t.TempDir(), Permissions: permission.Config{Hosts: []string{wrong}}}); err == nil || !strings.HasPrefix(err.Error(), "permissions.hosts: ") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestAConfinedCommandHasNoNetworkButTheProxy(t *testing.T) {
	t.Parallel()
	var box *sandbox.Sandbox
	n := openNetwork(t, func(o *tools.Options) {
		box = sandbox.New(sandbox.Config{Workspace: o.Workspace, Path: filepath.SplitList(os.Getenv("PATH"))})
		if !box.Active() {
			t.Skip("this system confines nothing")
		}
		o.Sandbox, o.Reach = box, box.Reach
	})
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	n.answer = grant(conversation.GrantOnce)
	n.wants(n.fetch(t.Context(), "a.trusted.test"), 1, "hello from a.trusted.test", "reached: network a.trusted.test:PORT")
	direct := "env -u HTTP_PROXY -u http_proxy FETCH=http://127.0.0.1:" + n.port + "/ " + self(t, n.dir)
	n.wants(n.Box.Run(t.Context(), call(t, "run_command", map[string]any{"command": direct}), nil), 1, "FETCHED Get", "connect: ")
}

func TestACancelledCommandWaitsForNoAnswer(t *testing.T) {
	t.Parallel()
	n := openNetwork(t, func(*tools.Options) {})
	ctx, cancel := context.WithCancel(t.Context())
	var ended atomic.Bool
	n.answer = func(asked context.Context, _ conversation.Review) (conversation.Answer, bool) {
		cancel()
		<-asked.Done()
		ended.Store(true)
		return conversation.Answer{}, false
	}
	if out := n.fetch(ctx, "a.trusted.test"); out.Status != conversation.ResultInterrupted || !ended.Load() {
		t.Errorf("%+v", out)
	}
}
