package proxy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strconv"
	"sync"

	"plimsoll/tools/web"
)

// maxHosts is how many hosts a command may want.
const maxHosts = 256

// Options say what a command reaches.
type Options struct {
	// Permit decides about a host. It may wait for the user until ctx, which ends with the command, is over. The host is a name in
	// lower case and ASCII, or an address. The text of the error is for the command and the model.
	Permit func(ctx context.Context, host, port string) error
	// Dial connects to HOST:PORT; see [web.Client.Dial].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Command is a command that may use the proxy.
type Command struct {
	Options
	Environment []string // has programs use the proxy, but for their own loopback
	forward     *httputil.ReverseProxy
	ctx         context.Context // ends with Close
	cancel      context.CancelFunc
	forget      func()

	mu      sync.Mutex     // guards what follows
	tasks   sync.WaitGroup // requests and decisions; begins none once closed
	closed  bool
	hosts   map[string]*host // by HOST:PORT
	reached []string
	refused []string
}

// host is what was decided about a host.
type host struct {
	decided chan struct{} // closed once err is set
	err     error
	reached bool
}

func newCommand(ctx context.Context, o Options) *Command {
	c := &Command{Options: o, hosts: map[string]*host{}}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.forward = &httputil.ReverseProxy{
		Rewrite:       func(*httputil.ProxyRequest) {}, // headers of the hop are dropped without it
		Transport:     &http.Transport{DialContext: c.dial, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeaderBytes},
		FlushInterval: -1,
		ErrorLog:      silent,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, err error) { refuse(w, http.StatusBadGateway, err) },
	}
	return c
}

// begin lets Close wait for a request, unless the command is closed.
func (c *Command) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.tasks.Add(1)
	}
	return !c.closed
}

// Close ends what the command still does, and waits.
func (c *Command) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.tasks.Wait()
	c.forget()
}

// Report lists the hosts that were reached, and those that were refused with the reason, since the last Report.
func (c *Command) Report() (reached, refused []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reached, refused = c.reached, c.refused
	c.reached, c.refused = nil, nil
	return reached, refused
}

// serve serves a request.
func (c *Command) serve(w http.ResponseWriter, r *http.Request) {
	name, port, err := target(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	address := net.JoinHostPort(name, port)
	if err := c.permit(r.Context(), name, port); err != nil {
		refuse(w, http.StatusForbidden, errors.New(address+" is not reached: "+err.Error()))
		return
	}
	if r.Method == http.MethodConnect {
		c.tunnel(w, r, address)
		return
	}
	r.URL.Host = address // r.Host keeps what the client sent
	c.forward.ServeHTTP(w, r)
}

// target is the host and the port that a request is for.
func target(r *http.Request) (name, port string, err error) {
	u := r.URL
	name, port = u.Hostname(), u.Port()
	switch {
	case u.User != nil:
		return "", "", errors.New("an address for this proxy has no user name")
	case r.Method == http.MethodConnect:
	case u.Scheme == "http" && u.Host != "":
		port = cmp.Or(port, "80")
	default:
		return "", "", errors.New("this is a proxy for http:// addresses and for CONNECT")
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return "", "", errors.New("the address has no valid port")
	}
	if ip, err := netip.ParseAddr(name); err == nil && ip.Zone() == "" {
		name = ip.String()
	} else if name = web.Host("", name); !web.IsHost(name) {
		return "", "", errors.New("the address has no valid host")
	}
	return name, strconv.FormatUint(number, 10), nil
}

// permit decides about a host, or waits for the decision that is under way.
func (c *Command) permit(ctx context.Context, name, port string) error {
	address := net.JoinHostPort(name, port)
	c.mu.Lock()
	h := c.hosts[address]
	if h == nil && len(c.hosts) == maxHosts {
		c.mu.Unlock()
		return errors.New("the command wants too many hosts")
	}
	if h == nil {
		h = &host{decided: make(chan struct{})}
		c.hosts[address] = h
		c.tasks.Go(func() {
			defer close(h.decided)
			if h.err = c.Permit(c.ctx, name, port); h.err != nil && c.ctx.Err() == nil {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.refused = append(c.refused, address+" ("+h.err.Error()+")")
			}
		})
	}
	c.mu.Unlock()
	select {
	case <-h.decided:
		return h.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// dial connects to a permitted host, and notes that it was reached.
func (c *Command) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.hosts[address]; h != nil && !h.reached {
		h.reached = true
		c.reached = append(c.reached, address)
	}
	return conn, nil
}

// tunnel connects the client with a permitted host, until both have closed their sides.
func (c *Command) tunnel(w http.ResponseWriter, r *http.Request, address string) {
	far, err := c.dial(r.Context(), "tcp", address)
	if err != nil {
		refuse(w, http.StatusBadGateway, err)
		return
	}
	defer far.Close() // it was closed in order, or the tunnel has broken
	near, sent, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client is gone
	}
	defer near.Close()
	defer context.AfterFunc(c.ctx, func() {
		_ = near.Close() // ends the copies, whose errors nobody needs
		_ = far.Close()
	})()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() { pass(near, far) })
	pass(far, sent)
	back.Wait()
}

// pass copies one direction of a tunnel, and closes it.
func pass(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from) // the other side sees the end
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	} else {
		_ = to.Close()
	}
}
