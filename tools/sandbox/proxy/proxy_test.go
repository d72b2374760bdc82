package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/tools/sandbox/proxy"
)

// pipes is a listener in memory.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPipes() *pipes { return &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *pipes) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3128} }

func (l *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.accepted <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rig is a proxy in memory with one command, and a server that shows what it is sent and that all hosts lead to.
type rig struct {
	*testing.T
	front   *pipes
	permit  func(ctx context.Context, host string) error
	proxy   *proxy.Proxy
	command *proxy.Command
	client  *http.Client
	token   string
	mu      sync.Mutex
	asked   []string
	dialled []string
}

func inMemory(t *testing.T, test func(*rig)) {
	synctest.Test(t, func(t *testing.T) {
		r, back := &rig{T: t, front: newPipes(), permit: func(context.Context, string) error { return nil }}, newPipes()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { _, _ = fmt.Fprint(w, q.Host, " ", q.URL, " ", q.Header) })}
		var running sync.WaitGroup
		running.Go(func() { _ = server.Serve(back) })
		r.proxy = proxy.Serve(r.front)
		r.command = r.proxy.Open(proxy.Options{
			Permit: func(ctx context.Context, host, port string) error {
				r.mu.Lock()
				r.asked = append(r.asked, host+" "+port)
				r.mu.Unlock()
				return r.permit(ctx, host)
			},
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				r.mu.Lock()
				r.dialled = append(r.dialled, address)
				r.mu.Unlock()
				return back.dial(ctx, network, address)
			},
		})
		at, err := url.Parse(strings.TrimPrefix(r.command.Environment[0], "HTTP_PROXY="))
		if err != nil {
			t.Fatal(err)
		}
		r.token = at.User.Username()
		transport := &http.Transport{Proxy: http.ProxyURL(at), DialContext: r.front.dial, DisableKeepAlives: true}
		r.client = &http.Client{Transport: transport}
		test(r)
		r.proxy.Close()
		_ = server.Close()
		running.Wait()
	})
}

// get returns the status and the text of a page.
func (r *rig) get(address string) (int, string) {
	r.Helper()
	resp, err := r.client.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.Error(err)
	}
	return resp.StatusCode, string(text)
}

// raw sends bytes and returns the first line of the answer.
func (r *rig) raw(request string) (string, net.Conn) {
	r.Helper()
	c, err := r.front.dial(r.Context(), "", "")
	if err != nil {
		r.Fatal(err)
	}
	go func() { _, _ = io.WriteString(c, request) }()
	line, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line), c
}

// connect is the head of a request for a tunnel.
func (r *rig) connect(target string) string {
	q := &http.Request{Header: http.Header{}}
	q.SetBasicAuth(r.token, "")
	return "CONNECT " + target + " HTTP/1.1\r\nHost: x\r\nProxy-Authorization: " + q.Header.Get("Authorization") + "\r\n\r\n"
}

func TestAHostIsPermittedOnceForACommand(t *testing.T) {
	t.Parallel()
	inMemory(t, func(r *rig) {
		answer := make(chan error)
		r.permit = func(context.Context, string) error { return <-answer }
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if status, text := r.get("http://Example.ORG./page?q"); status != http.StatusOK || !strings.Contains(text, "/page?q") {
					t.Errorf("%d %s", status, text)
				}
			})
		}
		synctest.Wait()
		r.mu.Lock()
		if len(r.asked) != 1 || len(r.dialled) != 0 {
			t.Errorf("asked %q, dialled %q before the answer", r.asked, r.dialled)
		}
		r.mu.Unlock()
		answer <- nil
		all.Wait()
		go func() { answer <- errors.New("the user said no") }()
		if status, text := r.get("http://evil.org:8080"); status != http.StatusForbidden || !strings.Contains(text, "evil.org:8080 is not reached: the user said no") {
			t.Errorf("%d %s", status, text)
		}
		if _, text := r.get("https://evil.org:8080"); !strings.Contains(text, "Forbidden") {
			t.Error(text)
		}
		reached, refused := r.command.Report()
		if got := fmt.Sprint(reached, refused); got != "[example.org:80] [evil.org:8080 (the user said no)]" {
			t.Error(got)
		}
		if reached, refused = r.command.Report(); len(reached)+len(refused) != 0 {
			t.Error("reported twice")
		}
	})
}

func TestRequestsArriveWithoutTheHeadersOfTheProxy(t *testing.T) {
	t.Parallel()
	inMemory(t, func(r *rig) {
		q, err := http.NewRequest("GET", "http://example.org/", nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Connection": "X-Hop", "X-Hop": "1", "Proxy-Connection": "x", "Te": "x", "Authorization": "mine", "Cookie": "a=b"} {
			q.Header.Set(name, value)
		}
		resp, err := r.client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if got := string(text); err != nil || strings.Contains(got, "Hop") || strings.Contains(got, "Proxy") || strings.Contains(got, "Te:") ||
			!strings.Contains(got, "mine") || !strings.HasPrefix(got, "example.org /") || !strings.Contains(got, "a=b") {
			t.Errorf("%v %s", err, got)
		}
	})
}

func TestHostileRequestsReachNothing(t *testing.T) {
	t.Parallel()
	inMemory(t, func(r *rig) {
		head := strings.Replace(r.connect("TARGET"), "CONNECT TARGET", "%s", 1)
		for request, want := range map[string]string{
			"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n":                    "407",
			strings.Replace(r.connect("example.org:443"), "Basic ", "Basic x", 1):    "407",
			r.connect("user:secret@example.org:443"):                                 "400",
			r.connect("[fe80::1%25eth0]:443"):                                        "400",
			r.connect("example.org"):                                                 "400",
			r.connect("example.org:0"):                                               "400",
			r.connect("example.org:65536"):                                           "400",
			r.connect("exam\x7fple.org:443"):                                         "400",
			r.connect("ex%1b[31mample.org:443"):                                      "400",
			r.connect("..:443"):                                                      "400",
			r.connect(strings.Repeat("a", 300) + ":443"):                             "400",
			fmt.Sprintf(head, "GET /"):                                               "400",
			fmt.Sprintf(head, "GET ftp://example.org/"):                              "400",
			fmt.Sprintf(head, "GET https://example.org/"):                            "400",
			fmt.Sprintf(head, "GET http://u:p@example.org/"):                         "400",
			fmt.Sprintf(head, "GET http://example.org:x/"):                           "400",
			"GET http://example.org/ HTTP/1.1\r\nX: " + strings.Repeat("x", 100<<10): "431",
		} {
			line, c := r.raw(request)
			if !strings.HasPrefix(line, "HTTP/1.1 "+want) {
				t.Errorf("%.60q: %s", request, line)
			}
			_ = c.Close()
		}
		if len(r.asked)+len(r.dialled) != 0 {
			t.Errorf("asked %q, dialled %q", r.asked, r.dialled)
		}
		began := time.Now()
		if line, _ := r.raw("GET http://example.org/ HTTP/1.1\r\nX: slow"); time.Since(began) > time.Minute {
			t.Errorf("a slow client was served for %s: %s", time.Since(began), line)
		}
	})
}

// A test in a bubble fails if a goroutine is left.
func TestCloseEndsTunnelsAndQuestions(t *testing.T) {
	t.Parallel()
	inMemory(t, func(r *rig) {
		r.permit = func(ctx context.Context, host string) error {
			if host == "open.org" {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		line, tunnel := r.raw(r.connect("open.org:443"))
		if line != "HTTP/1.1 200 Connection established" {
			t.Fatal(line)
		}
		var waits sync.WaitGroup
		waits.Go(func() { r.get("http://asked.org/") })
		impatient, cancel := context.WithCancel(r.Context())
		waits.Go(func() {
			q, _ := http.NewRequestWithContext(impatient, "GET", "http://other.org/", nil) // the address is valid
			if _, err := r.client.Do(q); err == nil {
				t.Error("answered")
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait() // the client has gone before its command ends
		r.command.Close()
		waits.Wait()
		if _, err := tunnel.Read(make([]byte, 1)); err == nil {
			t.Error("the tunnel goes on")
		}
		if status, text := r.get("http://open.org/"); status != http.StatusProxyAuthRequired {
			t.Errorf("served after the end: %d %s", status, text)
		}
		if reached, refused := r.command.Report(); len(reached) != 1 || len(refused) != 0 {
			t.Errorf("%q %q", reached, refused)
		}
	})
}
