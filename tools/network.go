package tools

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/permission"
	"plimsoll/tools/sandbox/proxy"
	"plimsoll/tools/shell"
	"plimsoll/tools/web"
)

// A command reaches the network by a proxy of its own. Rules:
//
//   - The permission rules for the network decide about each host. What they leave open is refused where the network is off, and
//     asked about otherwise: one question at a time, a few for each command.
//   - An answer for once holds until the command ends. While the user is asked, the command's timeout does not pass.
//   - The addresses behind names are checked like those of http_request.
//   - What was reached and refused stands in the result.

const (
	maxQuestions = 16               // of one command
	answerTime   = 10 * time.Minute // for the user
	maxListed    = 10               // hosts in a result
)

// hostGate decides which hosts one command reaches.
type hostGate struct {
	*Box
	command string
	clock   *shell.Clock
	asked   int // questions so far; guarded by Box.question
}

// viaProxy is the network of one command.
type viaProxy struct{ *proxy.Command }

func (v viaProxy) Environ() []string { return v.Environment }
func (v viaProxy) Report() string    { return reportOf(v.Command.Report()) }

// NetworkByRules is the network of a program that nobody is asked about: it reaches the hosts that the rules of o for the network
// allow. Errors: those of the rules, and of private addresses.
func NetworkByRules(o Options) (proxy.Options, error) {
	client, err := web.New(o.PrivateAddresses, o.Resolver)
	if err != nil {
		return proxy.Options{}, err
	}
	ofNetwork := func(rules []string) []string {
		return slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return !strings.HasPrefix(r, permission.Network) })
	}
	rules := permission.Config{Allow: ofNetwork(o.Permissions.Allow), Hosts: o.Permissions.Hosts, Deny: ofNetwork(o.Permissions.Deny)}
	policy, err := permission.New(rules, []permission.Tool{{Name: permission.Network, Access: permission.AccessNetwork}}, o.Workspace, o.Grants)
	gate := &hostGate{Box: &Box{Policy: policy, client: client}}
	return proxy.Options{Permit: gate.permit, Dial: client.Dial}, err
}

// openNetwork gives a command its way to the network, nil for that of the program.
func (b *Box) openNetwork(command string, clock *shell.Clock) (shell.Network, error) {
	if b.openProxy == nil {
		return nil, nil
	}
	gate := &hostGate{Box: b, command: command, clock: clock}
	opened, err := b.openProxy(proxy.Options{Permit: gate.permit, Dial: b.client.Dial})
	return viaProxy{opened}, err
}

// permit decides about a host; see [proxy.Options].
func (g *hostGate) permit(ctx context.Context, host, port string) error {
	effect := permission.OfHost(host, port)
	if err := g.client.Check(&url.URL{Scheme: "http", Host: effect.Title}); err != nil {
		return err
	}
	need, why := g.Need(effect)
	if need == conversation.NeedApproval && g.askHost != nil {
		select {
		case g.question <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-g.question }()
		need, why = g.Need(effect) // an answer may have come meanwhile
	}
	switch {
	case need == conversation.NeedNothing:
		return nil
	case need == conversation.NeedRefusal:
		return errors.New(why)
	case g.askHost == nil:
		return errors.New("the network is off; permissions.hosts in the user's configuration lists what commands may reach")
	case g.asked == maxQuestions:
		return errors.New("the command asked for too many hosts")
	}
	g.asked++
	return g.ask(ctx, effect)
}

// ask asks the user about a host, and grants what the answer says.
func (g *hostGate) ask(ctx context.Context, effect permission.Effect) error {
	g.clock.Stop()
	defer g.clock.Start()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	id := "network " + strconv.FormatInt(g.asks.Add(1), 10)
	review := conversation.Review{Need: conversation.NeedApproval, Title: permission.Network + " " + effect.Title, Command: g.command}
	if offers := g.Ask(id, effect, nil); len(offers) > 0 {
		review.Offer, review.Wider = offers[0], offers[1:]
	}
	answer, ok := g.askHost(ctx, id, review)
	switch {
	case !ok && ctx.Err() != nil:
		return errors.New("the user did not answer")
	case !ok:
		return errors.New("no user is present to allow it; permissions.hosts in the user's configuration, or --approve all, does")
	case answer.Grant == conversation.GrantOnce:
		return nil
	case answer.Grant == conversation.GrantRun || answer.Grant == conversation.GrantAlways:
		_ = g.Grant(ctx, effect, answer.Rules, answer.Grant == conversation.GrantAlways) // it holds for this command; what keeps it from holding longer, Rules says
		return nil
	case answer.Text != "":
		return errors.New("the user did not allow it: " + answer.Text)
	}
	return errors.New("the user did not allow it")
}

// reportOf says in a result which hosts were reached and refused.
func reportOf(reached, refused []string) string {
	var lines []string
	add := func(what, separator string, hosts []string) {
		if more := len(hosts) - maxListed; more > 0 {
			hosts = append(hosts[:maxListed:maxListed], strconv.Itoa(more)+" more")
		}
		if len(hosts) > 0 {
			lines = append(lines, what+strings.Join(hosts, separator))
		}
	}
	add("reached: network ", ", ", reached)
	add("kept from: network ", "\nkept from: network ", refused)
	return strings.Join(lines, "\n")
}
