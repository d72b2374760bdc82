package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// failure returns any error of a request as an *llm.Error, with a message for the user. parent is the caller's context. ctx is that
// of the request, which also ends when the server sends nothing for too long. The end of parent counts before any other error.
func (c *Client) failure(parent, ctx context.Context, err error) *llm.Error {
	switch cause := causeOf(parent); {
	case cause == nil:
	case errors.Is(parent.Err(), context.DeadlineExceeded):
		return &llm.Error{Class: llm.Stalled, Message: c.endpoint.Label + " did not answer within the time allowed", Err: cause}
	default:
		return &llm.Error{Class: llm.Cancelled, Message: "stopped", Err: context.Canceled}
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	if errors.Is(causeOf(ctx), errSilence) {
		return &llm.Error{Class: llm.Stalled, Message: c.endpoint.Label + " stopped responding", Err: errSilence}
	}
	return c.endpoint.connectionError(err)
}

func (w endpoint) connectionError(err error) *llm.Error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address may hold a password
	}
	e := &llm.Error{Class: llm.Network, Err: errors.New(w.cleanText(err.Error()))}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		e.Message, e.Hint = fmt.Sprintf("the address %s cannot be found", w.host), "check the connection and base_url"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message, e.Hint, e.NotListening = "No answer from "+w.address, "is it running? /connect chooses another", true
		if w.Name == "ollama" {
			e.Hint = "start Ollama: ollama serve"
		}
	case errors.As(err, &cert):
		e.Message, e.NoRetry = fmt.Sprintf("the certificate of %s is not valid: %s", w.host, w.cleanText(cert.Err.Error())), true
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		e.Message, e.Hint, e.NoRetry = w.host+" speaks plain HTTP", "write base_url with http://", true
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		e.Message = "the connection to " + w.host + " broke"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Message = w.host + " cannot be reached in time"
	default:
		e.Message = fmt.Sprintf("no connection to %s: %s", w.host, w.cleanText(err.Error()))
	}
	return e
}

// MalformedError returns the error of an answer that does not follow the protocol.
func (w endpoint) MalformedError(what string, data []byte, cause error) *llm.Error {
	e := &llm.Error{Class: llm.Malformed, Message: w.Label + " answered, but " + what, Err: cause}
	text := string(data)
	page := strings.HasPrefix(strings.TrimSpace(text), "<")
	if page {
		text = pageText(text)
	}
	if words := conversation.OneLine(w.cleanText(text), 120); words != "" {
		e.Message += ": " + words
	}
	if cause == nil || page {
		e.NoRetry = true
		e.Hint = "base_url is the address up to and without /chat/completions; it often ends in /v1"
	}
	return e
}
