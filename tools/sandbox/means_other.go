//go:build !linux && !darwin

package sandbox

import (
	"context"
	"errors"
	"net"
	"os/exec"
)

type system struct{}

func supported() error { return errors.New("this system has no sandbox that Plimsoll knows") }

func (s *Sandbox) start(cmd *exec.Cmd) error { return cmd.Start() }

func (s *Sandbox) whole() bool { return false }

func (s *Sandbox) end() {}

func (s *Sandbox) listen(context.Context) (net.Listener, error) { return nil, ErrUnavailable }

// RunHelper does nothing here.
func RunHelper() {}

func (s *Sandbox) means() (has, lacks []string) { return nil, nil }
