package agent

import (
	"context"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Looking at the context changes nothing and costs no request. What the answer is
// made of is taken wherever the owner of the conversation obeys, also while a reply
// streams; adding it up goes through all that was said, so that is done beside the
// conversation, one at a time.

// inspection is a look at the context that is being added up. It belongs to the
// owner.
type inspection struct {
	done  chan struct{} // closed when it is answered, nil while none is under way
	again bool          // another one was asked for meanwhile
}

// Inspect answers with Inspected. Of several calls that wait the newest is
// answered.
func (a *Agent) Inspect() {
	n := a.inspections.Add(1)
	a.inbox.put(func(context.Context) {
		if n == a.inspections.Load() { // otherwise a newer one is behind it
			a.inspect()
		}
	})
}

// inspect answers one look, or has it answered when the one before it is.
func (a *Agent) inspect() {
	if a.looking.done != nil {
		a.looking.again = true
		return
	}
	done, account := make(chan struct{}), a.compactor.account()
	a.looking.done = done
	go func() {
		a.updates.Put(Inspected{Account: account()})
		close(done)
		a.inbox.put(func(context.Context) {
			again := a.looking.again
			if a.looking = (inspection{}); again {
				a.inspect()
			}
		})
	}()
}

// inspected waits for the look that is under way.
func (a *Agent) inspected() {
	if a.looking.done != nil {
		<-a.looking.done
	}
}

// account adds up the conversation's context as the planner finds it now. While
// idle what it will look at next is a turn that begins. What is returned reads
// nothing that the owner changes.
func (c *compactor) account() func() compact.Account {
	moment := compact.MomentTurn
	if c.agent.turn != nil {
		moment = c.moment()
	}
	rules, check, model, saved := c.rules, c.check(moment, false), c.settings.model, c.opts.CacheSaved
	return func() compact.Account {
		return compact.NewAccount(rules, check, func(u conversation.Usage) *float64 {
			if saved == nil {
				return nil
			}
			return saved(model, u)
		})
	}
}

// Preview works a wish out on what was said so far and answers with Previewed.
// It changes nothing.
func (a *Agent) Preview(w compact.Wish) {
	a.inbox.put(func(context.Context) {
		told := Previewed{Wish: w, Now: a.meter.Reading()}
		pass, err := compact.NewPass(a.log.Events(), a.rules, a.compactor.situation(), w)
		if err != nil {
			told.Err = unmade(err)
		} else {
			told.Preview, told.Then = pass.Preview(), pass.Then()
			told.CostNow, told.PaysAfter = a.price(told.Preview)
		}
		a.updates.Put(told)
	})
}
