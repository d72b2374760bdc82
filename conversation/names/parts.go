package names

import "iter"

// mostJoints bounds the joints of a name at which it is taken apart.
const mostJoints = 24

// Parts are what a name tells beside itself: the runs of its words from one joint to
// another that are as long as a name. Those of compact/plan.go are compact, compact/plan
// and plan.go.
func Parts(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var borders [mostJoints + 2]int // one behind each joint, and one behind the end
		n := 1
		for i := 0; i < len(name) && n <= mostJoints; i++ {
			if isJoint(name[i]) {
				borders[n] = i + 1
				n++
			}
		}
		borders[n] = len(name) + 1
		for i, from := range borders[:n] {
			for _, behind := range borders[i+1 : n+1] {
				part := name[from : behind-1]
				if len(part) >= least && len(part) < len(name) && !yield(part) {
					return
				}
			}
		}
	}
}
