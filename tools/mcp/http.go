package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Bounds of what is read of a server over HTTP.
const (
	maxBody   = 8 << 20     // bytes of an answer
	maxStream = 64 << 20    // bytes of a stream of events, which is opened anew after it
	lastWords = time.Second // for the requests that are under way when a session ends
)

// httpTransport is the connection to an address.
func (s *server) httpTransport(live context.Context) sdk.Transport {
	host := ""
	if u, err := url.Parse(s.config.URL); err == nil {
		host = u.Host
	}
	client := &http.Client{Transport: boundedTransport{live: live, base: s.base(), headers: s.config.Headers, host: host}}
	t := &sdk.StreamableClientTransport{Endpoint: s.config.URL, HTTPClient: client, MaxRetries: 2, MaxEventSize: maxMessage}
	if s.config.OAuth {
		t.OAuthHandler = &loginHandler{server: s}
	}
	return t
}

// boundedTransport adds the server's headers to requests to its own host, bounds the bodies of answers, and ends requests soon
// after the session has ended.
type boundedTransport struct {
	live    context.Context // of the session
	base    http.RoundTripper
	headers map[string]string
	host    string
}

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(b.live, func() { time.AfterFunc(lastWords, cancel) })
	end := func() { stop(); cancel() }
	r = r.Clone(ctx)
	if r.URL.Host == b.host {
		for name, value := range b.headers {
			r.Header.Set(name, value)
		}
	}
	answer, err := b.base.RoundTrip(r)
	if err != nil {
		end()
		return nil, err
	}
	left := maxBody
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		left = maxStream
	}
	answer.Body = &boundedBody{ReadCloser: answer.Body, left: left, end: end}
	return answer, nil
}

// boundedBody is a body that fails when it is too long; end is called when it is closed.
type boundedBody struct {
	io.ReadCloser
	left int
	end  func()
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("its answer is too long")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (b *boundedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// login is the login at a server by OAuth: the user allows it in the browser, which comes back to an address of this machine. It
// is kept, and renewed without the user.
type login struct {
	mu      sync.Mutex // guards what follows
	handler *auth.AuthorizationCodeHandler
}

// storedLogin is a login as it is kept.
type storedLogin struct {
	Client oauth2.Config `json:"client"`
	Token  *oauth2.Token `json:"token"`
}

// loginTimeout is how long the user may take to log in.
const loginTimeout = 5 * time.Minute

// loginHandler is what the SDK asks for logins. It opens the port for the browser only when the user has to log in.
type loginHandler struct{ server *server }

// TokenSource returns the tokens of the login that is kept, nil without one.
func (h *loginHandler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	s := h.server
	s.login.mu.Lock()
	defer s.login.mu.Unlock()
	if s.login.handler != nil {
		return s.login.handler.TokenSource(ctx)
	}
	if s.options.Tokens == nil {
		return nil, nil
	}
	data, err := s.options.Tokens.Load(s.config.URL)
	var kept storedLogin
	if err != nil || len(data) == 0 || json.Unmarshal(data, &kept) != nil || kept.Token == nil {
		return nil, nil // the user logs in again
	}
	return s.keepTokens(&kept.Client, kept.Client.TokenSource(s.withHTTP(s.lifetime), kept.Token)), nil
}

// Authorize lets the user log in.
func (h *loginHandler) Authorize(ctx context.Context, r *http.Request, refused *http.Response) error {
	s := h.server
	if s.options.Browse == nil {
		_ = refused.Body.Close() // only its status counts
		return errors.New("it asks for a login, which needs a user: open the chat once, or set headers")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = refused.Body.Close() // only its status counts
		return fmt.Errorf("no port for the browser to come back to: %w", err)
	}
	answers := make(chan url.Values, 1)
	back := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case answers <- r.URL.Query():
		default:
		}
		fmt.Fprintf(w, "<p>Plimsoll has the answer of %s. You can close this page.</p>", html.EscapeString(s.config.Name))
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = back.Serve(listener) }) // ends with Close
	defer serving.Wait()
	defer back.Close()
	redirect := "http://" + listener.Addr().String() + "/callback"
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Plimsoll", RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"},
			ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}},
		RedirectURL: redirect, RequestRefreshToken: true, Client: &http.Client{Transport: boundedTransport{live: s.lifetime, base: s.base()}, Timeout: s.config.Timeout},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if u, err := url.Parse(args.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" {
				return nil, errors.New("its page for the login is no web address")
			}
			if err := s.options.Browse(ctx, args.URL); err != nil {
				return nil, err
			}
			select {
			case v := <-answers:
				if v.Get("error") != "" {
					return nil, fmt.Errorf("the login was refused: %s", v.Get("error"))
				}
				return &auth.AuthorizationResult{Code: v.Get("code"), State: v.Get("state"), Iss: v.Get("iss")}, nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			source := s.keepTokens(c, c.TokenSource(s.withHTTP(s.lifetime), t))
			_, err := source.Token() // keeps it
			return source, err
		},
	})
	if err != nil {
		_ = refused.Body.Close() // only its status counts
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginTimeout, errors.New("nobody logged in"))
	defer cancel()
	if err := s.ask(ctx, func(ctx context.Context) (bool, error) { return false, handler.Authorize(ctx, r, refused) }); err != nil {
		return err
	}
	s.login.mu.Lock()
	defer s.login.mu.Unlock()
	s.login.handler = handler
	return nil
}

func (s *server) base() http.RoundTripper {
	if s.options.HTTP != nil {
		return s.options.HTTP
	}
	return http.DefaultTransport
}

// withHTTP makes tokens be renewed over this server's connections.
func (s *server) withHTTP(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: boundedTransport{live: s.lifetime, base: s.base()}, Timeout: s.config.Timeout})
}

// keepTokens returns tokens that are kept whenever they change.
func (s *server) keepTokens(c *oauth2.Config, source oauth2.TokenSource) oauth2.TokenSource {
	return &keptTokens{server: s, client: *c, source: source}
}

type keptTokens struct {
	server *server
	client oauth2.Config
	source oauth2.TokenSource

	mu   sync.Mutex // guards last
	last string     // access token that is kept
}

func (k *keptTokens) Token() (*oauth2.Token, error) {
	t, err := k.source.Token()
	if err != nil || k.server.options.Tokens == nil {
		return t, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.AccessToken == k.last {
		return t, nil
	}
	data, err := json.Marshal(storedLogin{Client: k.client, Token: t})
	if err == nil {
		err = k.server.options.Tokens.Save(k.server.config.URL, data)
	}
	if err != nil {
		k.server.log.addLine("the login could not be kept: " + err.Error())
	}
	k.last = t.AccessToken
	return t, nil
}
