// Package snapshot saves the state of a learner and restores it, so that it goes on where it
// stopped.
//
//	err := snapshot.Save(file, l)
//	...
//	l := ...                         // the same tuning
//	err := l.Init(problem, horizon)  // the same problem and horizon
//	l.Reset(own, noise)              // any streams: the saved ones take their place
//	err = snapshot.Load(file, l)
//
// From then on the learner does what the saved one would have done, bit for bit: it plays the same
// arms, draws the same noise and releases the same numbers. What it has spent of its budget is part
// of the state: how many records it has seen, what it has drawn and the stream that the noise comes
// from. [Save] takes any learner, also one of your own type, or a part of one: a policy, a
// statistic, a device, a server.
//
// # A state is a secret
//
// A state is not a release. The state of a private learner holds the raw sums and the stream of its
// noise, so whoever reads it knows the data as if there were no noise. No claim covers it. Keep it
// where you would keep the data.
//
// Continue a state once. Two learners that go on from one state draw the same noise for different
// data, and the difference of their releases shows the data without any noise. So the learner that
// was saved has to stop, and a state is deleted once the learner restored from it has seen data.
// Randomness of the operating system (random.System) is not part of a state: the restored learner
// keeps the noise of the past and draws its own from then on, so each copy spends anew. From Save
// and Load on, the claims of both learners have a condition that says so.
//
// # What is checked
//
// Load refuses a state, says what differs, and leaves the learner as it was, if
//
//   - the bytes are not those that Save wrote: truncated, extended or changed;
//   - it was written by another version of this package, or a type has other fields now;
//   - the learner has another type, another tuning (exported fields), another bandit.Problem, or
//     another privacy.Setup, which holds the horizon;
//   - one has a privacy.Ledger and the other has not, or their streams are of different types.
//
// The checksum finds accidents. Somebody who knows this package can compute it anew; a [Key] keeps
// such people out. A forged state cannot break the memory of the program, but a learner that runs
// on it may panic.
//
// # How it works
//
// Save walks the memory that a learner can reach, unexported fields included, and writes what it
// finds. A method on each learner would be the usual way. There are about a hundred types, though,
// and one forgotten field gives a learner that goes on almost as before. Replaying the rounds would
// be simpler still, and wants all raw data kept. A walk forgets nothing, and what it cannot save is
// an error that names the field: channels, unsafe pointers, and functions. A type that a learner
// holds in an interface at times, and that Load cannot find, is given to [Register].
//
// Exported fields are taken to be tuning, which does not change in a run. One that does has to have
// the tag
//
//	`snapshot:"state"`
//
// Functions among the tuning are not saved, and nobody can compare them: the learner restored into
// keeps its own, which have to be the same. So it does with an unexported
// field that has the tag
//
//	`snapshot:"keep"`
//
// A function that is kept must not capture anything that changes, unless the walk reaches that in
// another way.
//
// What learners share, such as a table or a matroid, is saved with each, and written on restoring
// only where it differs. The bytes do not depend on the machine or on the order of maps: equal
// learners have equal states. What a learner keeps only to be fast may depend on the processor; a
// state goes on on any.
package snapshot
