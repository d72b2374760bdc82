package e2e_test

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkStartCold starts the program, once nothing of its file is in the
// page cache, to the first painted frame. Only the file of the program is
// cold: what the system itself has cached, and the store, stay warm. On a disk
// that has a cache of its own the figure is closer to a warm start.
func BenchmarkStartCold(b *testing.B) {
	p := benchPlace(b)
	s := newServer(b)
	var frame sample
	for b.Loop() {
		dropCache(b, p.program[0])
		began := time.Now()
		term := p.start(usual, s.args()...)
		term.wait("first frame", func(s screen) bool { return s.broken() == "" })
		frame.add(time.Since(began))
		term.kill()
		term.end()
	}
	frame.report(b, "ms-frame")
	b.ReportMetric(0, "ns/op")
}

// dropCache drops a file from the page cache. Pages that wait to be written, or
// are mapped, would stay.
func dropCache(b *testing.B, path string) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := unix.Fsync(int(f.Fd())); err != nil {
		b.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
