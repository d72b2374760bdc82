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

// Each command reaches the network through its own proxy. Rules:
//
//   - The permission rules for the network decide about each host. If none applies, the host is refused where the
//     network is off; otherwise the user is asked, one question at a time, with a limit for each command.
//   - The answer "once" holds until the command ends. The command's timeout pauses while the user is asked.
//   - The addresses that a name resolves to are checked like those of http_request.
//   - The result lists the hosts that were reached and those that were refused.

const (
	maxQuestions = 16               // for one command
	answerTime   = 10 * time.Minute // how long one question waits for an answer
	maxListed    = 10               // hosts in a result
)

// hostGate decides which hosts one command reaches.
type hostGate struct {
	*Box
	command string
	timeout *shell.Timeout
	asked   int // questions so far; guarded by Box.question
}

// commandNetwork is the network of one command.
type commandNetwork struct{ *proxy.Command }

func (n commandNetwork) Environ() []string { return n.Environment }
func (n commandNetwork) Report() string    { return hostReport(n.Command.Report()) }

// NetworkByRules returns the network of a program for which nobody can be asked. It reaches the hosts that the network
// rules of o allow. Errors are those of the rules and of private addresses.
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

// openNetwork opens the proxy of a command. It returns nil if commands use the network without a proxy.
func (b *Box) openNetwork(command string, timeout *shell.Timeout) (shell.Network, error) {
	if b.options.Reach == nil {
		return nil, nil
	}
	gate := &hostGate{Box: b, command: command, timeout: timeout}
	opened, err := b.options.Reach(proxy.Options{Permit: gate.permit, Dial: b.client.Dial})
	return commandNetwork{opened}, err
}

// permit decides about a host; see [proxy.Options].
func (g *hostGate) permit(ctx context.Context, host, port string) error {
	effect := permission.OfHost(host, port)
	if err := g.client.Check(&url.URL{Scheme: "http", Host: effect.Title}); err != nil {
		return err
	}
	need, why := g.Need(effect)
	if need == conversation.NeedApproval && g.options.AskHost != nil {
		select {
		case g.question <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-g.question }()
		need, why = g.Need(effect) // an answer to another question may allow the host meanwhile
	}
	switch {
	case need == conversation.NeedNothing:
		return nil
	case need == conversation.NeedRefusal:
		return errors.New(why)
	case g.options.AskHost == nil:
		return errors.New("the network is off; permissions.hosts in the user's configuration lists what commands may reach")
	case g.asked == maxQuestions:
		return errors.New("the command asked for too many hosts")
	}
	g.asked++
	return g.ask(ctx, effect)
}

// ask asks the user about a host, and grants what the answer says.
func (g *hostGate) ask(ctx context.Context, effect permission.Effect) error {
	g.timeout.Pause()
	defer g.timeout.Resume()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	id := "network " + strconv.FormatInt(g.asks.Add(1), 10)
	title := permission.Network + " " + effect.Title
	review := conversation.Review{Need: conversation.NeedApproval, Title: title, Command: g.command}
	if offers := g.Ask(id, effect, nil); len(offers) > 0 {
		review.Offer, review.Wider = offers[0], offers[1:]
	}
	answer, ok := g.options.AskHost(ctx, id, review)
	switch {
	case !ok && ctx.Err() != nil:
		return errors.New("the user did not answer")
	case !ok:
		return errors.New("no user is present to allow it; permissions.hosts in the user's configuration, or --approve all, does")
	case answer.Grant == conversation.GrantOnce:
		return nil
	case answer.Grant == conversation.GrantRun || answer.Grant == conversation.GrantAlways:
		// A grant that cannot be stored still holds for this command.
		_ = g.Grant(ctx, effect, answer.Rules, answer.Grant == conversation.GrantAlways)
		return nil
	case answer.Text != "":
		return errors.New("the user did not allow it: " + answer.Text)
	}
	return errors.New("the user did not allow it")
}

// hostReport returns the lines of a result that list the hosts reached and refused.
func hostReport(reached, refused []string) string {
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
