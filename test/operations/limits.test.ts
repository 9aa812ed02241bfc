import { describeLimits } from '../behaviours/limits.test.js'

describe('on the embedded profile', () => describeLimits('embedded'))
