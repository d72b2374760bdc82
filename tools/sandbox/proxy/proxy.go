// Package proxy is the HTTP proxy by which commands reach hosts of the network, each host only after it was permitted by its
// name. It takes CONNECT for everything encrypted, and whole addresses for plain HTTP.
//
// Guarantees:
//
//   - A command is known by the user name in the address of its proxy; nobody else is served.
//   - A host is permitted once a command, however many connections want it, and those wait for the answer.
//   - No name is resolved, and nothing is connected, before the host is permitted.
//   - Nothing of a request is logged or kept but hosts and ports.
//   - Close ends all connections, and returns when no goroutine is left: that of a Command those of the command.
package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

const (
	maxConnections = 256
	maxHeaderBytes = 64 << 10
	headerTimeout  = 10 * time.Second // for a client to send the head of a request
	idleTimeout    = time.Minute      // of a client's connection between two requests
)

// Proxy serves the commands that are opened.
type Proxy struct {
	address string
	server  *http.Server
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	served  chan struct{}  // closed when no connection comes any more
	tasks   sync.WaitGroup // connections and requests

	mu       sync.Mutex // guards what follows
	commands map[string]*Command
}

var silent = log.New(io.Discard, "", 0)

// Serve serves the connections of a listener, which it closes, until Close.
func Serve(l net.Listener) *Proxy {
	p := &Proxy{address: l.Addr().String(), served: make(chan struct{}), commands: map[string]*Command{}}
	p.ctx, p.cancel = context.WithCancel(context.Background()) // Close ends it
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: silent, BaseContext: func(net.Listener) context.Context { return p.ctx }, ConnState: p.count}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(netutil.LimitListener(l, maxConnections)) // it ends by Close
	}()
	return p
}

// count lets Close wait for connections. A connection that was taken over ends with its request.
func (p *Proxy) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		p.tasks.Add(1)
	case http.StateClosed, http.StateHijacked:
		p.tasks.Done()
	}
}

// Close closes the commands that are open.
func (p *Proxy) Close() {
	p.cancel()
	_ = p.server.Close() // an error would be that of the listener
	<-p.served
	_ = p.server.Close() // closes what was accepted meanwhile
	p.tasks.Wait()
	p.mu.Lock()
	open := slices.Collect(maps.Values(p.commands))
	p.mu.Unlock()
	for _, c := range open {
		c.Close()
	}
}

// ServeHTTP passes a request on to its command.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.tasks.Add(1)
	defer p.tasks.Done()
	login := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	name, _, _ := login.BasicAuth()
	p.mu.Lock()
	c := p.commands[name]
	p.mu.Unlock()
	if c == nil || !c.begin() {
		w.Header().Set("Proxy-Authenticate", `Basic realm="plimsoll"`)
		refuse(w, http.StatusProxyAuthRequired, errors.New("the proxy serves only commands, which have its address in their environment"))
		return
	}
	defer c.tasks.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	c.serve(w, r.WithContext(ctx))
}

// refuse answers in the command's output where the client shows it.
func refuse(w http.ResponseWriter, status int, err error) {
	http.Error(w, "plimsoll: "+err.Error(), status)
}

// Open lets a command use the proxy until its Close.
func (p *Proxy) Open(o Options) *Command {
	c := newCommand(p.ctx, o)
	token := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commands[token] = c
	c.forget = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.commands, token)
	}
	at, direct := "http://"+token+"@"+p.address, "localhost,127.0.0.1,::1"
	for _, v := range [][2]string{{"HTTP_PROXY", at}, {"HTTPS_PROXY", at}, {"ALL_PROXY", at}, {"NO_PROXY", direct}} {
		c.Environment = append(c.Environment, v[0]+"="+v[1], strings.ToLower(v[0])+"="+v[1])
	}
	return c
}
