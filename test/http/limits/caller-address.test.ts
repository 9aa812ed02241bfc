import { expect } from 'chai'
import { networkOf } from '../../../http/limits/caller-address.js'

describe('the network of a caller', () => {
  const table: readonly (readonly [string | undefined, string])[] = [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8:1:2::1]:4711', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['[::ffff:203.0.113.7]:4711', '203.0.113.7'],
    ['[fe80::1%eth0]:4711', 'fe80:0:0:0::/64'],
    ['203.0.113.7:', 'unknown'],
    ['203.0.113.7:http', 'unknown'],
    ['[203.0.113.7', 'unknown'],
    ['_hidden:4711', 'unknown'],
    ['no address', 'unknown'],
    [undefined, 'unknown'],
  ]
  for (const [address, network] of table) {
    it(`of ${address} is ${network}`, () => expect(networkOf(address)).to.equal(network))
  }
})
