// Package local holds linear learners for users who trust nobody, or a shuffler: notebook 01.
//
// Each is a [learner.Local]: a device, a server, and perhaps a shuffler between them.
//
//   - [LDPDevice], [LDPServer], [LDPNoise]: locally private LinUCB
//   - [OnlineDevice], [OnlineServer], [OnlineNoise]: the same from an online learner's predictions
//   - [WeightedDevice], [WeightedServer]: regret of order sqrt(T), whatever the eigenvalues
//   - [Anytime]: a server that needs no horizon, by doubling
//   - [CombinerDevice], [CombinerServer]: several base learners combined by their regret bounds, as
//     [OnlineNoise.Combiner] makes them
//   - [AmplifiedDevice], [AmplifiedServer]: shuffle LinUCB by amplification; see
//     [AmplifiedNoise.Learner]
//   - [VectorSumDevice], [VectorSumServer]: shuffle LinUCB by sums of bits; see [VectorSum.Learner]
//
// Read [LDPDevice] and [LDPServer] first.
package local
