package sandbox

import (
	"context"

	"plimsoll/tools/sandbox/proxy"
)

// Proxied reports whether commands reach the network only by Reach.
func (s *Sandbox) Proxied() bool { return s.Active() && s.Network != NetworkOn }

// Reach opens the proxy by which one command reaches the network; the first call starts it.
func (s *Sandbox) Reach(o proxy.Options) (*proxy.Command, error) {
	s.reachMu.Lock()
	defer s.reachMu.Unlock()
	if s.reach == nil {
		listener, err := s.Listen(context.Background())
		if err != nil {
			return nil, err
		}
		s.reach = proxy.Serve(listener)
	}
	return s.reach.Open(o), nil
}

// endReach ends the proxy.
func (s *Sandbox) endReach() {
	s.reachMu.Lock()
	defer s.reachMu.Unlock()
	if s.reach != nil {
		s.reach.Close()
	}
}
