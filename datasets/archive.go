package datasets

import "time"

// archive is what is known beforehand of a data set as GroupLens publishes it.
type archive struct {
	name   string // "MovieLens 100K"
	folder string // in the cache; the archive is folder + ".zip", with all its files in folder
	url    string
	size   int64    // of the archive, bytes
	sha256 string   // of the archive
	files  []pin    // files that are read
	kept   []string // other files that are unpacked
	others []string // files that are not unpacked
	limit  int64    // of all files together when unpacked, bytes

	users, movies, ratings int
	parse                  func(files) (*MovieLens, error)
	stall                  time.Duration // a transfer that brings nothing for this long is given up
	// overall is the time after which a download is given up; the next call resumes it.
	overall time.Duration
}

// pin is a file whose content is known beforehand: its size and, unless empty, its SHA-256.
type pin struct {
	name   string
	size   int64
	sha256 string
}

// The archives' sizes and SHA-256 are those of tensorflow/datasets (url_checksums/movielens.txt)
// and of many other projects that pin them. The MD5 sums that GroupLens publishes beside them are
// 0e33842e24a9c977be4e0107933c0723 (100K) and c4d9eecfca2ab87c1945afe126590906 (1M). The sums of
// 100K's files were computed from the files. For 1M only the sizes of the files are published, so a
// copy unpacked by hand is checked by size, format and counts.
var (
	ml100k = archive{
		name: "MovieLens 100K", folder: "ml-100k",
		url:  "https://files.grouplens.org/datasets/movielens/ml-100k.zip",
		size: 4_924_029, sha256: "50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229",
		files: []pin{
			{"u.data", 1_979_173, "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490"},
			{"u.genre", 202, "9757e0d3e6b298159a80dd48eaf938114690e911e39af97a76949ef1663610bb"},
			{"u.item", 236_344, "553841ebc7de3a0fd0d6b62a204ea30c1e651aacfb2814c7a6584ac52f2c5701"},
			{"u.user", 22_628, "f120e114da2e8cf314fd28f99417c94ae9ddf1cb6db8ce0e4b5995d40e90e62c"},
		},
		kept: []string{"README", "u.info", "u.occupation"},
		others: []string{"allbut.pl", "mku.sh", "u1.base", "u1.test", "u2.base", "u2.test", "u3.base", "u3.test", "u4.base", "u4.test", "u5.base", "u5.test",
			"ua.base", "ua.test", "ub.base", "ub.test"},
		limit: 32 << 20,
		users: 943, movies: 1682, ratings: 100_000,
		parse: parse100K, stall: 30 * time.Second, overall: 15 * time.Minute,
	}
	ml1m = archive{
		name: "MovieLens 1M", folder: "ml-1m",
		url:  "https://files.grouplens.org/datasets/movielens/ml-1m.zip",
		size: 5_917_549, sha256: "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
		files: []pin{
			{"movies.dat", 171_308, ""},
			{"ratings.dat", 24_594_131, ""},
			{"users.dat", 134_368, ""},
		},
		kept:  []string{"README"},
		limit: 64 << 20,
		users: 6040, movies: 3883, ratings: 1_000_209,
		parse: parse1M, stall: 30 * time.Second, overall: 15 * time.Minute,
	}
)
